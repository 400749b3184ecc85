/** Published on one node, started on another: the new version runs, with nothing between the nodes but the database. */
import { describe, expect, it } from 'vitest'
import { type CacheNode, openCacheSite } from './cache-site.ts'

const PAIRS = Number(process.env.LOCKSTEP_TEST_PAIRS ?? 30)

/** Takes only the input of its own number, so that a check by an older version would refuse it. */
const numbered = (number: number) => ({
  id: 'numbered',
  name: `Number ${number}`,
  input: { type: 'object', required: [`only-${number}`] },
  activities: [{ id: 'say', type: 'set-output', inputs: { name: 'number', value: number } }],
  connections: [],
})

/** Takes only numbers up to its own. */
const upTo = (most: number) => ({
  ...numbered(most),
  id: 'bounded',
  input: { type: 'object', properties: { size: { type: 'number', maximum: most } } },
})

describe('definitions', () => {
  it(`are never stale: ${PAIRS} times published here and started there, without a bus`, async () => {
    await using site = await openCacheSite([{}, {}])
    const [publisher, starter] = site.nodes as [CacheNode, CacheNode]
    await site.publish(numbered(1))
    const wrong: unknown[] = []
    const ends: Promise<void>[] = []
    for (let number = 2; number <= PAIRS + 1; number += 1) {
      const { revision } = await publisher.engine.definitions.draft('default', 'numbered')
      await publisher.engine.definitions.saveDraft('default', 'numbered', numbered(number), revision)
      const { version } = await publisher.engine.definitions.publish('default', 'numbered')
      const input = { [`only-${number}`]: 1 }
      const { instanceId } = await starter.engine.start({ definitionId: 'numbered', input })
      const ran = (await starter.engine.get(instanceId)).version
      if (ran !== version) wrong.push({ version, ran })
      const ended = starter.engine.waitForEnd(instanceId, { limitMs: 90_000 }).then((end) => {
        if (JSON.stringify(end?.output) !== JSON.stringify({ number })) wrong.push({ number, end })
      })
      ends.push(ended)
    }
    await Promise.all(ends)
    expect(wrong).toEqual([])
  })

  it(`check inputs by the version that runs: ${PAIRS} times stricter and looser there, without a bus`, async () => {
    await using site = await openCacheSite([{}, {}])
    const [publisher, starter] = site.nodes as [CacheNode, CacheNode]
    await site.publish(upTo(10))
    const { definitions } = publisher.engine
    const publish = async (most: number): Promise<number> => {
      const { revision } = await definitions.draft('default', 'bounded')
      await definitions.saveDraft('default', 'bounded', upTo(most), revision)
      return (await definitions.publish('default', 'bounded')).version
    }
    const start = async (size: number) => {
      const asked = { definitionId: 'bounded', input: { size } }
      // One start by itself and many at once take different ways to the store.
      return Promise.allSettled([
        starter.engine.start(asked),
        starter.engine.start({ ...asked, dedupeKey: `size ${size}` }),
        starter.engine.startMany([asked, asked]).then(([first]) => first!),
      ])
    }
    const codeOf = (each: PromiseSettledResult<unknown>): unknown =>
      each.status === 'rejected' ? (each.reason as { code?: string }).code : 'started'
    await start(5)
    const wrong: unknown[] = []
    for (let round = 0; round < PAIRS; round += 1) {
      // What the version before took, and this one does not.
      await publish(10)
      const strict = await start(15 + round)
      if (strict.some((each) => codeOf(each) !== 'INPUT_INVALID')) wrong.push({ round, strict: strict.map(codeOf) })
      // What the version before refused, and this one takes.
      const version = await publish(1_000_000)
      const loose = await start(15 + round)
      if (loose.some((each) => codeOf(each) !== 'started')) wrong.push({ round, loose: loose.map(codeOf) })
      for (const each of loose) {
        const ran = each.status === 'fulfilled' && (await starter.engine.get(each.value.instanceId)).version
        if (ran !== version) wrong.push({ round, version, ran })
      }
    }
    expect(wrong).toEqual([])
  })

  it('are refused at once where another node has retracted them, and taken again at once', async () => {
    await using site = await openCacheSite([{}, {}])
    const [publisher, starter] = site.nodes as [CacheNode, CacheNode]
    await site.publish(upTo(10))
    const start = () => starter.engine.start({ definitionId: 'bounded', input: { size: 1 } })
    await start()
    await publisher.engine.definitions.retract('default', 'bounded')
    await expect(start()).rejects.toMatchObject({ code: 'DEFINITION_NOT_FOUND' })
    const { version } = await publisher.engine.definitions.publish('default', 'bounded')
    expect(await starter.engine.get((await start()).instanceId)).toMatchObject({ version })
  })

  it('that bring back what was there before are compiled once', async () => {
    await using site = await openCacheSite([{}])
    const [node] = site.nodes as [CacheNode]
    await site.publish(numbered(1))
    const { definitions } = node.engine
    for (const number of [2, 1]) {
      const { revision } = await definitions.draft('default', 'numbered')
      await definitions.saveDraft('default', 'numbered', numbered(number), revision)
      await definitions.publish('default', 'numbered')
    }
    const versions = await definitions.versions('default', 'numbered', undefined, 10)
    expect(versions.map(({ version }) => version)).toEqual([3, 2, 1])
    expect(versions[0]!.hash).toBe(versions[2]!.hash)
    for (const version of [1, 2, 3]) {
      const input = { [`only-${version === 2 ? 2 : 1}`]: 1 }
      const { instanceId } = await node.engine.start({ definitionId: 'numbered', version, input })
      const number = version === 2 ? 2 : 1
      expect(await node.engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ output: { number } })
    }
    expect(node.engine.caches.list()[0]).toMatchObject({ name: 'definitions', size: 3 })
  })
})
