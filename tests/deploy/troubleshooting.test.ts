import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase, startRedis } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runIn } from '../cli/open-cli.ts'
import { codeBlocks, noteOf } from '../docs/code-blocks.ts'
import { until } from '../faults/until.ts'

const folder = 'docs/troubleshooting'
const pages = readdirSync(fileURLToPath(new URL(`../../${folder}`, import.meta.url))).sort()
/** The last one takes the lock away that others look at. */
const inOrder = [...pages.filter((page) => page !== 'lock-leaks.md'), 'lock-leaks.md']

let node: RunningNode
let environment: Record<string, string>
const closing: (() => Promise<unknown>)[] = []
let finish = (): void => {}

const workflows = [
  workflow('order', async (ctx) => {
    await ctx.step('charge', async () => 'charged')
    await ctx.waitFor('approved')
  }),
  workflow('report', async (ctx) =>
    ctx.lock('nightly-report', () => ctx.step('write', () => new Promise<void>((resolve) => (finish = resolve)))),
  ),
]

beforeAll(async () => {
  const [database, redis] = await Promise.all([cloneDatabase(inject('postgres')), startRedis({ quiet: true })])
  closing.push(
    () => database.drop(),
    () => redis.stop(),
  )
  const options = resolveNodeOptions({
    ...{ port: 0, databaseUrl: database.url, redisUrl: redis.url, nodeName: 'node-1', drainMs: 100 },
    ...{ locks: 'redis', bus: 'redis', cache: 'redis' },
  })
  const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
  node = await startNode(options, edge, { workflows, activities: [], jobs: [] })
  const call = async (path: string, body: object): Promise<{ id: string }> => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return (await (await fetch(`${node.url}/api/v1${path}`, sent)).json()) as { id: string }
  }
  const activities = [{ id: 'log', type: 'log', inputs: { message: 'noted' } }]
  await call('/workflow-definitions', { id: 'note', activities })
  await call('/workflow-definitions/note/publish', {})
  const { id } = await call('/workflow-instances', { definitionId: 'order', correlationId: 'order-17' })
  await call('/workflow-instances', { definitionId: 'report' })
  environment = { LOCKSTEP_URL: node.url, ID: id, REDIS_URL: redis.url }
  const isThere = async (path: string, text: string): Promise<boolean> =>
    (await (await fetch(`${node.url}/api/v1${path}`)).text()).includes(text)
  await until('it waits', () => isThere(`/workflow-instances/${id}`, '"suspended"'), 60_000)
  await until('the lock is held', () => isThere('/locks', 'nightly-report'), 60_000)
})
afterAll(async () => {
  finish()
  await node?.stop()
  for (const close of closing) await close()
})

const runLine = async (line: string): Promise<{ readonly code: number; readonly out: string }> => {
  const [command = ''] = line.split(/\s+# /)
  const words = command.replaceAll(/\$(\w+)/g, (_all, name: string) => environment[name] ?? '').split(/\s+/)
  if (words[0] === 'lockstep') {
    const { code, out, err } = await runIn('.', environment, words.slice(1), { pauses: 1 })
    return { code, out: out + err }
  }
  const { stdout } = await promisify(execFile)('sh', ['-ec', command], { env: { ...process.env, ...environment } })
  return { code: 0, out: stdout }
}

describe('the pages for when something is wrong', () => {
  it.each(inOrder)('%s: its commands show what it says', async (page) => {
    const blocks = codeBlocks(`${folder}/${page}`).filter(({ language }) => language === 'sh')
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      const lines = block.code.trim().split('\n')
      const outputs = []
      for (const line of lines) {
        const { code, out } = await runLine(line)
        expect([line, code, code === 0 ? '' : out]).toEqual([line, 0, ''])
        outputs.push(out)
      }
      const wanted = noteOf(block, 'expect')
      if (wanted !== undefined) expect([page, outputs.join('\n')]).toEqual([page, expect.stringContaining(wanted)])
    }
  })

  it('are all in the list', () => {
    const list = readFileSync(fileURLToPath(new URL(`../../${folder}/README.md`, import.meta.url)), 'utf8')
    const listed = [...list.matchAll(/^\|.*\]\(([a-z-]+\.md)\) \|$/gm)].map(([, file]) => file!)
    expect(listed.sort()).toEqual(pages.filter((page) => page !== 'README.md'))
  })
})
