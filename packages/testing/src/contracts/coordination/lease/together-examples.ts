import type { LeaseRequest, TogetherAnswer } from '@lockstep/coordination'
import { expect } from 'vitest'
import { type Bench, fenceOf, mutex, permits, reader, waiting, writer } from '../bench.ts'
import type { Example } from '../contract.ts'

async function together(b: Bench, requests: readonly LeaseRequest[], provider = b.provider): Promise<TogetherAnswer[]> {
  const { answers } = await provider.leases.acquireTogether(requests)
  expect(answers).toHaveLength(requests.length)
  return [...answers]
}

const statuses = (answers: readonly TogetherAnswer[]): string[] => answers.map((answer) => answer.status)

export function togetherExamples(example: Example<Bench>): void {
  example('grants several leases together', async (b) => {
    const wanted = [mutex('a'), writer('b'), permits('c', 2, 2), reader('d')]
    const answers = await together(b, wanted)
    expect(statuses(answers)).toEqual(['granted', 'granted', 'granted', 'granted'])
    for (const each of wanted) expect(await b.renew(each)).toBe('renewed')
    expect(statuses(await together(b, wanted))).toEqual(['granted', 'granted', 'granted', 'granted'])
    expect((await together(b, wanted)).map(fenceOf)).toEqual(answers.map(fenceOf))
  })

  example('grants none when one is in the way, and says which', async (b) => {
    await b.take(mutex('b'))
    const wanted = [mutex('a'), mutex('b'), mutex('c')]
    expect(statuses(await together(b, wanted))).toEqual(['free', 'busy', 'free'])
    for (const each of wanted) expect(await b.renew(each)).toBe('lost')
    expect(await b.provider.registry.read('a')).toBeUndefined()
    await b.take(mutex('c'))
  })

  example('grants none when a name is in use as another kind or has too few permits', async (b) => {
    await b.take(reader('b'))
    expect(await together(b, [mutex('a'), mutex('b')])).toEqual([
      { status: 'free' },
      { status: 'wrong-kind', inUseAs: 'read-write' },
    ])
    expect(await together(b, [mutex('a'), permits('c', 3, 2)])).toEqual([
      { status: 'free' },
      { status: 'too-heavy', max: 2 },
    ])
    expect(await b.provider.registry.read('a')).toBeUndefined()
  })

  example('does not go past those who wait', async (b) => {
    const inbox = await b.inbox()
    await b.take(reader('b'))
    await b.ask(waiting(writer('b'), inbox))
    expect(statuses(await together(b, [mutex('a'), reader('b')]))).toEqual(['free', 'busy'])
  })

  example('counts two requests of one call for the same name together', async (b) => {
    expect(statuses(await together(b, [mutex('a'), mutex('a')]))).not.toContain('granted')
    expect(await b.provider.registry.read('a')).toBeUndefined()
    expect(statuses(await together(b, [permits('pool', 2, 3), permits('pool', 2, 3)]))).not.toContain('granted')
    expect(statuses(await together(b, [permits('pool', 1, 3), permits('pool', 2, 3)]))).toEqual(['granted', 'granted'])
  })

  example('grants overlapping sets one at a time, whatever their order', async (b) => {
    const other = await b.harness.another()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (let round = 0; round < 10; round += 1) {
      const [forth, back] = [names.map((name) => mutex(name)), [...names].reverse().map((name) => mutex(name))]
      const [one, two] = await Promise.all([together(b, forth), together(b, back, other)])
      expect([...statuses(one!), ...statuses(two!)].filter((status) => status === 'granted')).toHaveLength(5)
      expect(new Set(statuses(one!)).has('granted')).not.toBe(new Set(statuses(two!)).has('granted'))
      await b.provider.leases.release([...forth, ...back])
    }
  })
}
