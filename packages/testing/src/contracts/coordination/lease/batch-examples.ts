import { expect } from 'vitest'
import { type Bench, fenceOf, LONG, mutex, permits, reader, waiting, writer } from '../bench.ts'
import type { Example } from '../contract.ts'

/** Names that trip over separators, patterns, quoting and length. */
export const oddNames = [
  'with space',
  ' leading and trailing ',
  'päckchen/straße/名前/🔒',
  'e\u0301 and \u00e9',
  '{b01}',
  '{}',
  'a{b}c',
  ':',
  'a:b::c',
  '%_*?[x]^$\\',
  `'"\`;--`,
  '\u2028',
  '__proto__',
  'constructor',
  '0',
  'null',
  'x'.repeat(512),
  'é'.repeat(512),
]

export function batchExamples(example: Example<Bench>): void {
  example('answers nothing to nothing', async (b) => {
    const { leases } = b.provider
    for (const answers of [
      await leases.acquire([]),
      await leases.acquireTogether([]),
      await leases.renew([]),
      await leases.release([]),
    ])
      expect(answers).toEqual({ at: expect.any(Number), answers: [] })
  })

  example('answers in the order of the requests', async (b) => {
    await b.take(mutex('b'))
    await b.take(reader('d'))
    const wanted = [mutex('a'), mutex('b'), reader('c'), mutex('d'), permits('e', 1, 1), writer('d')]
    const { answers } = await b.provider.leases.acquire(wanted)
    expect(answers.map((answer) => answer.status)).toEqual([
      'granted',
      'busy',
      'granted',
      'wrong-kind',
      'granted',
      'busy',
    ])
    const renewals = await b.provider.leases.renew(wanted.map((each) => ({ ...each, ttlMs: LONG })))
    expect(renewals.answers).toEqual(['renewed', 'lost', 'renewed', 'lost', 'renewed', 'lost'])
    const { answers: ends } = await b.provider.leases.release(wanted)
    expect(ends).toEqual(['released', 'gone', 'released', 'gone', 'released', 'gone'])
  })

  example('takes requests of one call for the same name one after the other', async (b) => {
    const inbox = await b.inbox()
    const [first, second, third] = [mutex('a'), mutex('a'), waiting(mutex('a'), inbox)]
    const { answers } = await b.provider.leases.acquire([first, second, third, first])
    expect(answers.map((answer) => answer.status)).toEqual(['granted', 'busy', 'queued', 'granted'])
    expect(fenceOf(answers[3])).toBe(fenceOf(answers[0]))
    expect((await b.provider.leases.release([first, first, second])).answers).toEqual(['released', 'gone', 'gone'])
    await inbox.granted(third)
  })

  example('takes requests of one call for the same shared name one after the other', async (b) => {
    const asked = [
      permits('pool', 1, 2),
      permits('pool', 1, 2),
      permits('pool', 1, 2),
      reader('d'),
      reader('d'),
      writer('d'),
    ]
    const { answers } = await b.provider.leases.acquire(asked)
    expect(answers.map((answer) => answer.status)).toEqual(['granted', 'granted', 'busy', 'granted', 'granted', 'busy'])
    expect(new Set(answers.slice(0, 2).map(fenceOf)).size).toBe(2)
  })

  example('releases and hands over many names in one call', async (b) => {
    const inbox = await b.inbox()
    const names = Array.from({ length: 20 }, (_, i) => `lock ${i}`)
    const held = names.map((name) => mutex(name))
    const next = names.map((name) => waiting(mutex(name), inbox))
    await b.provider.leases.acquire([...held, ...next])
    await b.provider.leases.release(held)
    for (const each of next) await inbox.granted(each)
    expect(inbox.notices).toHaveLength(20)
  })

  example('carries a thousand requests in one call', async (b) => {
    const wanted = Array.from({ length: 1_000 }, (_, i) => mutex(`lock ${i}`))
    const { answers } = await b.provider.leases.acquire(wanted)
    expect(answers.map(fenceOf)).toHaveLength(1_000)
    expect((await b.ask(mutex('lock 777'))).status).toBe('busy')
    const renewed = await b.provider.leases.renew(wanted.map((each) => ({ ...each, ttlMs: LONG })))
    expect(renewed.answers.filter((answer) => answer === 'renewed')).toHaveLength(1_000)
    const released = await b.provider.leases.release(wanted)
    expect(released.answers.filter((answer) => answer === 'released')).toHaveLength(1_000)
    expect((await b.provider.registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
  })

  example('keeps a thousand in a queue in order', async (b) => {
    const inbox = await b.inbox()
    const wanted = Array.from({ length: 1_000 }, () => waiting(mutex('lock'), inbox))
    const { answers } = await b.provider.leases.acquire(wanted)
    fenceOf(answers[0])
    expect(answers.slice(1).map((answer) => (answer.status === 'queued' ? answer.ahead : answer.status))).toEqual(
      Array.from({ length: 999 }, (_, i) => i),
    )
    const { answers: ends } = await b.provider.leases.release(wanted)
    expect(ends.filter((answer) => answer === 'released')).toHaveLength(1_000)
    expect(await b.provider.registry.read('lock')).toBeUndefined()
  })

  example('keeps names apart, however odd', async (b) => {
    const inbox = await b.inbox()
    for (const build of [mutex, writer]) {
      const held = oddNames.map((name) => build(name))
      const next = oddNames.map((name) => waiting(build(name), inbox))
      const { answers } = await b.provider.leases.acquire([...held, ...next])
      expect(answers.map((answer) => answer.status)).toEqual([
        ...held.map(() => 'granted'),
        ...next.map(() => 'queued'),
      ])
      expect((await b.provider.registry.read(oddNames[2]!))?.name).toBe(oddNames[2])
      await b.provider.leases.release(held)
      for (const each of next) await inbox.granted(each)
      await b.provider.leases.release(next)
    }
    expect((await b.provider.registry.list({ prefix: '', limit: 100 })).locks).toEqual([])
  })

  example('tells a name that is in use as another kind', async (b) => {
    const held = [mutex('a'), reader('b'), permits('c', 1, 2)]
    for (const each of held) await b.take(each)
    expect(await b.ask(reader('a'))).toEqual({ status: 'wrong-kind', inUseAs: 'mutex' })
    expect(await b.ask(permits('a', 1, 1))).toEqual({ status: 'wrong-kind', inUseAs: 'mutex' })
    expect(await b.ask(mutex('b'))).toEqual({ status: 'wrong-kind', inUseAs: 'read-write' })
    expect(await b.ask(permits('b', 1, 1))).toEqual({ status: 'wrong-kind', inUseAs: 'read-write' })
    expect(await b.ask(mutex('c'))).toEqual({ status: 'wrong-kind', inUseAs: 'semaphore' })
    expect(await b.ask(waiting(writer('c'), await b.inbox()))).toEqual({ status: 'wrong-kind', inUseAs: 'semaphore' })
    for (const each of held) await b.release(each)
    await b.take(writer('a'))
    await b.take(mutex('b'))
  })

  example('frees a name for another kind when its lease ended by itself', async (b) => {
    await b.take(mutex('a', { ttlMs: 300 }))
    await b.take(permits('b', 1, 1, { ttlMs: 300 }))
    await b.harness.elapse(500)
    await b.take(writer('a'))
    await b.take(mutex('b'))
  })
}
