import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { postgresBrowse } from '@lockstep/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleCall } from '../../packages/lockstep/src/samples/sample-call.ts'
import { sampleIds } from '../../packages/lockstep/src/samples/sample-documents.ts'
import { sampleRun } from '../../packages/lockstep/src/samples/sample-runs.ts'
import { Samples } from '../../packages/lockstep/src/samples/samples.ts'
import { openTestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'
import { LockstepProcess } from './run-lockstep.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-samples-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
const read = async (url: string, to: string): Promise<any> => (await fetch(`${url}/api/v1${to}`)).json()
const published = async (url: string): Promise<string[]> =>
  (await read(url, '/workflow-definitions')).items
    .filter((each: { version: number | null }) => each.version !== null)
    .map((each: { id: string }) => each.id)

async function openSamples() {
  const test = await openTestEngine({ activities: [sampleCall] })
  const links: string[] = []
  const logger = {
    ...silentLogger,
    info: (_: string, fields?: Readonly<Record<string, unknown>>) => {
      if (typeof fields?.link === 'string') links.push(fields.link)
    },
  }
  const { engine } = test
  const samples = (most: number): Samples =>
    new Samples({ ...edge, logger, engine, browse: postgresBrowse(test.db), url: 'http://here', everyMs: 5, most })
  return { engine, links, samples, close: () => test[Symbol.asyncDispose]() }
}

describe('samples', () => {
  it('move, up to a number that no restart raises, and show what they are for', async () => {
    const { engine, links, samples, close } = await openSamples()
    const most = 24
    const count = async (): Promise<number> =>
      (await engine.list({}, 100)).filter(({ definitionId }) => definitionId !== 'sample-report').length
    for (const _ of ['first', 'again']) {
      const running = samples(most)
      await running.begin()
      await until('all have begun', async () => (await count()) === most, 90_000)
      await until('there is a link', () => links.length > 0, 90_000) // one that is stopped looks for none
      running.stop()
    }
    expect(await count()).toBe(most)
    const output = async (id: string): Promise<unknown[]> =>
      (await engine.list({ definitionId: id }, 100)).map((each) => (each.output as { result?: unknown } | null)?.result)
    await until('an order was given back', async () => (await output('sample-order')).includes('given back'), 90_000)
    await until('the breaker has opened', async () => (await engine.breakers.get('sample-api')) !== undefined, 90_000)
    const token = links[0]!.split('/').at(-1)!
    expect(links[0]).toMatch(/^http:\/\/here\/resume\/rt_/)
    expect(await engine.resumeTokens.use(token, { outcome: 'approve', data: {} })).toBe('done')
    expect(await engine.resumeTokens.use(token, { outcome: 'approve', data: {} })).toBe('already-completed')
    await close()
  })

  it('leave a store alone that has anything else', async () => {
    const { engine, samples, close } = await openSamples()
    await engine.definitions.create('default', {
      id: 'mine',
      activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }],
    })
    await samples(5).begin()
    await expect(engine.definitions.draft('default', 'sample-order')).rejects.toThrow(/sample-order/)
    expect(await engine.list({}, 10)).toEqual([])
    await close()
  })

  it('go on beside workflows that come later, without those that were retracted', async () => {
    const { engine, samples, close } = await openSamples()
    const begun = async (id: string): Promise<number> => (await engine.list({ definitionId: id }, 100)).length
    const first = samples(2)
    await first.begin()
    await until('two have begun', async () => (await begun('sample-order')) + (await begun('sample-flaky-api')) === 2)
    first.stop()
    const mine = { id: 'mine', activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }] }
    await engine.definitions.create('default', mine)
    await engine.definitions.retract('default', 'sample-reminder')
    const later = samples(6)
    await later.begin()
    await until('the last has begun', async () => (await begun('sample-approval')) === 1)
    expect([await begun('sample-order'), await begun('sample-flaky-api'), await begun('sample-reminder')]).toEqual([
      2, 2, 0,
    ])
    later.stop()
    await close()
  })

  it('are drawn the same way every time, and all of them are', () => {
    const runs = Array.from({ length: 60 }, (_, at) => sampleRun(at + 1))
    expect(new Set([...runs.map(({ definitionId }) => definitionId), 'sample-report'])).toEqual(new Set(sampleIds))
    expect(runs.filter(({ input }) => input.api === 'down').length).toBeGreaterThanOrEqual(4)
    expect(sampleRun(7)).toEqual(sampleRun(7))
  })
})

describe('lockstep dev', () => {
  it('has them and the lock lab, and takes them back for good', async () => {
    const dev = (): LockstepProcess => new LockstepProcess(['dev', '--port', '0'], { cwd: folder })
    await using node = dev()
    const url = await node.url()
    expect(await read(url, '/lock-lab')).toMatchObject({ offered: true })
    await until('they are published', async () => (await published(url)).length === sampleIds.length, 90_000)
    const some = async (): Promise<number> => (await read(url, '/workflow-instances')).items.length
    await until('one has begun', async () => (await some()) > 0, 90_000)

    await using removal = new LockstepProcess(['samples', 'remove', '--url', url], { cwd: folder })
    const { code, output } = await removal.finished()
    expect([code, output]).toEqual([0, expect.stringContaining('5 sample workflows taken back')])
    expect(await published(url)).toEqual([])
    await node.end('SIGINT')

    await using again = dev()
    const second = await again.url()
    await using plain = new LockstepProcess(['samples', 'remove', '--url', second], { cwd: folder })
    expect((await plain.finished()).output).toContain('There are no sample workflows here')
    expect(await published(second)).toEqual([])
  }, 240_000)
})
