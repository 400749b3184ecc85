import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloneDatabase, runPsql } from '@lockstep/testing/harness'
import { type Lockstep, lockstep, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { jsonLogger } from '../../packages/lockstep/src/log/json-logger.ts'
import { parseLogLevels } from '../../packages/lockstep/src/log/log-levels.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { until } from '../faults/until.ts'

interface Line {
  readonly level: string
  readonly area?: string
  readonly msg: string
  readonly code?: string
  readonly lock?: string
}
const lines: Line[] = []
const texts: string[] = []
const write = (text: string): void => {
  texts.push(text)
  lines.push(JSON.parse(text) as Line)
}
const logger = jsonLogger(parseLogLevels('debug'), { write })
const page = readFileSync(new URL('../../docs/how-to/logs.md', import.meta.url), 'utf8')
const [, clusterPart = ''] = page.split('## Messages of a cluster')
const documented = [
  ...clusterPart.matchAll(/^\| `([^`]+)` \| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| `([^`]+)` \| (\w+) \|/gm),
].map(([, msg, codes, area, level]) => ({
  msg,
  area,
  level,
  codes: [...codes!.matchAll(/`(\w+)`/g)].map(([, code]) => code),
}))

describe('messages of a cluster', () => {
  const nap = workflow('nap', async (ctx) => {
    await ctx.sleep('20ms')
    await ctx.waitFor('go')
  })
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let nodes: Lockstep[]
  beforeAll(async () => {
    database = await cloneDatabase(inject('postgres'))
    const open = (nodeName: string) =>
      lockstep({ databaseUrl: database.url, nodeName, workflows: [nap], logger, heartbeatMs: 500 })
    nodes = [await open('node-1'), await open('node-2')]
  })
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close()
    await database?.drop()
  })

  it('are there, as the page says, when it happens', async () => {
    const [first, second] = nodes as [Lockstep, Lockstep]
    const lease = await first.locks.mutex('report').acquire()
    await second.locks.mutex('report').tryAcquire()
    await lease.release()
    const run = await first.start(nap, undefined)
    await until('it was resumed', async () => (await run.resume('go')) === 'resumed', 60_000)
    expect(await run.resume('go')).not.toBe('resumed')
    await first.engine.definitions.create('default', {
      id: 'note',
      activities: [{ id: 'log', type: 'log', inputs: { message: 'x' } }],
    })
    await first.engine.definitions.publish('default', 'note')
    await runPsql(
      database.url,
      'adding a node that never beats',
      `insert into lockstep.node (id, name, version) values (gen_random_uuid(), 'ghost', '0');`,
    )
    const missing = () =>
      documented.filter(
        ({ msg, area, level, codes }) =>
          !lines.some(
            (line) => line.msg === msg && line.area === area && line.level === level && codes.includes(line.code),
          ),
      )
    await until('all were logged', async () => missing().length === 0, 60_000).catch(() => undefined)
    expect(missing()).toEqual([])
    expect(documented.length).toBe(8)
  })

  it('name who holds a lock, also to one who waited for it in vain', async () => {
    const [first, second] = nodes as [Lockstep, Lockstep]
    const lease = await first.locks.mutex('till').acquire()
    await expect(second.locks.mutex('till').acquire({ waitMs: 1_000 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    await lease.release()
    const busy = lines.find(({ code, lock }) => code === 'LOCK_BUSY' && lock === 'till')
    expect(busy).toMatchObject({ msg: 'lock busy', holder: 'node-1', waitedMs: expect.any(Number) })
  })

  it('of chores name those that the page of maintenance has, and no other', () => {
    const table = readFileSync(new URL('../../docs/how-to/maintenance.md', import.meta.url), 'utf8')
    const told = [...table.matchAll(/^\| `maintenance:([a-z-]+)` \| .* \| every (?:(\d+) minutes|hour) \|$/gm)].map(
      ([, name, minutes = '60']) => [name, Number(minutes) * 60_000],
    )
    const { chores } = nodes[0]!.engine.maintenance
    // Sweeping by rules is a loop of its own, under a lock of the same kind.
    const there = [['retention', 3_600_000], ...chores.map(({ name, everyMs }) => [name, everyMs])]
    expect(told.sort()).toEqual(there.sort())
  })

  it('in the example of the page has the form of a line', () => {
    const [example] = codeBlocks('docs/how-to/logs.md').filter(({ language }) => language === 'json')
    const busy = lines.find(({ code, lock }) => code === 'LOCK_BUSY' && lock === 'report') ?? {} // chores have locks too
    expect(Object.keys(JSON.parse(example!.code) as object)).toEqual(Object.keys(busy))
  })
})

describe('the level of an area', () => {
  it('is its own, whatever the others have', () => {
    lines.length = 0
    const [short] = [readEnvironment({ LOCKSTEP_LOG: 'warn,locks=debug' }).logLevel]
    const areas = jsonLogger(parseLogLevels(short ?? ''), { write })
    areas.info('not told')
    areas.area('http').info('not told')
    areas.area('locks').debug('told')
    areas.area('locks').area('lease').debug('told too', { password: 'x' })
    expect(lines.map(({ msg }) => msg)).toEqual(['told', 'told too'])
    expect(lines[1]).toMatchObject({ password: '[withheld]' })
    expect(readEnvironment({ LOCKSTEP_LOG: 'warn', LOCKSTEP_LOG_LEVEL: 'error' }).logLevel).toBe('error')
  })

  it('is told once in a line, also of an area in another one', () => {
    texts.length = 0
    jsonLogger(parseLogLevels('info'), { write }).area('http').area('access').info('told')
    expect(texts).toEqual([expect.stringMatching(/^\{"level":"info","time":"[^"]+","area":"access","msg":"told"\}\n$/)])
  })

  it('can be chosen for every area that there is: the page names them', () => {
    const sources = fileURLToPath(new URL('../../packages', import.meta.url))
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^\w+\/src\/.*(?<!\.test)\.ts$/.test(name),
    )
    const there = files.flatMap((name) =>
      [...readFileSync(path.join(sources, name), 'utf8').matchAll(/\.area\('([a-z-]+)'\)/g)].map(([, area]) => area),
    )
    const [, named = ''] = page.split('Areas: ')
    const told = [...named.split('. ')[0]!.matchAll(/`([a-z-]+)`/g)].map(([, area]) => area)
    expect(told).toEqual([...new Set(there)].sort())
  })

  it('of the examples of the page can be read', () => {
    const shown = codeBlocks('docs/how-to/logs.md').filter(({ language }) => language === 'sh')
    const levels = [...shown[0]!.code.matchAll(/LOCKSTEP_LOG_LEVEL=(\S+)/g)].map(
      ([, text]) => parseLogLevels(text!).level,
    )
    expect(levels).toEqual(['info', 'warn'])
  })
})
