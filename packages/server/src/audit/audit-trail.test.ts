import { type Logger, silentLogger, systemClock } from '@lockstep/base'
import type { AuditStore, NewAuditEntry } from '@lockstep/engine/ports'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { AuditTrail } from './audit-trail.ts'

const entry = (operation: string): NewAuditEntry => ({
  ...{
    tenant: 'default',
    at: 0,
    actorKind: 'key',
    actor: 'key:1',
    operation,
    target: '',
    outcome: 'done',
    status: 200,
  },
  ...{ address: '', agent: '', node: '' },
})

/** Takes a batch whenever the test lets it. */
function heldStore() {
  const written: string[][] = []
  const entries: NewAuditEntry[] = []
  const asked: { take(): void; fail(): void }[] = []
  const store = {
    append: (given: readonly NewAuditEntry[]) =>
      new Promise<void>((resolve, reject) => {
        asked.push({
          take: () => {
            written.push(given.map(({ operation }) => operation))
            entries.push(...given)
            resolve()
          },
          fail: () => reject(new Error('the store is away')),
        })
      }),
    list: async () => ({ rows: [], lookedTo: undefined }),
    trim: async () => 0,
  }
  return { store, written, asked, entries }
}
const open = (store: ReturnType<typeof heldStore>['store']) =>
  new AuditTrail({ store, clock: systemClock, logger: silentLogger })

describe('the audit trail', () => {
  it('writes in one statement what came while another was being written, and tells each when it is durable', async () => {
    const { store, written, asked } = heldStore()
    const trail = open(store)
    let settled = 0
    const waits = ['a', 'b', 'c'].map(async (name) => {
      await trail.written(entry(name))
      settled += 1
    })
    expect([asked.length, settled]).toEqual([1, 0])
    asked[0]!.take()
    await expect.poll(() => asked.length).toBe(2)
    expect(settled).toBe(1)
    asked[1]!.take()
    await Promise.all(waits)
    expect(written).toEqual([['a'], ['b', 'c']])
  })

  it('keeps what the store would not take, in its order, and writes it before it closes', async () => {
    const { store, written, asked } = heldStore()
    const trail = open(store)
    const first = trail.written(entry('a'))
    asked[0]!.fail()
    await first // it is tried again: the caller is not kept waiting for a store that is away
    trail.note(entry('b'))
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(2)
    asked[1]!.take()
    await closed
    expect(written).toEqual([['a', 'b']])
  })

  it('writes once, with how often, what was noted again and again within a moment', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    for (let n = 0; n < 3; n += 1) trail.note({ ...entry('start'), at: n })
    trail.note({ ...entry('start'), target: 'another' })
    trail.note({ ...entry('start'), detail: { reason: 'because' } })
    trail.note({ ...entry('start'), detail: { reason: 'because' } })
    await expect.poll(() => asked.length).toBe(1)
    trail.note({ ...entry('start'), at: 9 }) // the others are on their way: it is not one of them
    asked[0]!.take()
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(2)
    asked[1]!.take()
    await closed
    const told = entries.map(({ at, target, detail }) => ({ at, target, ...detail }))
    expect(told).toEqual([
      { at: 0, target: '', times: 3 },
      { at: 0, target: 'another' },
      { at: 0, target: '', reason: 'because' },
      { at: 0, target: '', reason: 'because' },
      { at: 9, target: '' },
    ])
  })

  it('counts what says the same as the last one without an entry of its own, until that is on its way or full', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    const sign = {
      ...{ principal: {}, tenant: 'default', operation: 'start', outcome: 'done', status: 201 },
      ...{ target: '', address: '', agent: '' },
    }
    expect(trail.noteAgain(sign, 'wfi_0')).toBe(false)
    trail.note(entry('start'), 'wfi_0', sign)
    for (const other of [{ principal: {} }, { target: 'another' }, { outcome: 'REFUSED' }, { address: '::1' }])
      expect(trail.noteAgain({ ...sign, ...other }, 'wfi_x')).toBe(false)
    for (let n = 1; n < 200; n += 1) expect(trail.noteAgain({ ...sign }, `wfi_${n}`)).toBe(true)
    expect(trail.noteAgain(sign, 'wfi_200')).toBe(false)
    trail.note(entry('start'), 'wfi_200', sign)
    expect(trail.noteAgain(sign, 'wfi_201')).toBe(true)
    await expect.poll(() => asked.length).toBe(1)
    expect(trail.noteAgain(sign, 'wfi_202')).toBe(false)
    asked[0]!.take()
    await trail.close()
    expect(entries.map(({ detail }) => [detail?.times, detail?.made?.length])).toEqual([
      [200, 200],
      [2, 2],
    ])
  })

  it('names what came to be by what it counts, up to a number, and goes on in another entry', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    for (let n = 0; n < 201; n += 1) trail.note(entry('start'), `wfi_${n}`)
    await expect.poll(() => asked.length).toBe(1)
    asked[0]!.take()
    await trail.close()
    expect(entries.map(({ detail }) => [detail?.times, detail?.made?.length])).toEqual([
      [200, 200],
      [undefined, 1],
    ])
    expect(entries[1]!.detail?.made).toEqual(['wfi_200'])
  })

  it('counts strangers who are turned away by address alone, whatever they call themselves', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    const turnedAway = { ...entry('useResumeToken'), outcome: 'RATE_LIMITED', status: 429 }
    for (let n = 0; n < 5_000; n += 1) trail.tally({ ...turnedAway, address: '10.0.0.1', agent: `robot ${n}` })
    for (let n = 0; n < 5_000; n += 1) trail.tally({ ...turnedAway, address: `2001:db8::${n}` })
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(1)
    asked[0]!.take()
    for (let n = 1; n < 3; n += 1) {
      await expect.poll(() => asked.length).toBe(n + 1)
      asked[n]!.take()
    }
    await closed
    expect(entries).toHaveLength(1_001)
    expect(entries[0]).toMatchObject({ address: '10.0.0.1', detail: { times: 5_000 } })
    expect(entries.at(-1)).toMatchObject({ address: 'others', detail: { times: 4_001 } })
  })

  it('names what strangers were turned away from while it was one thing', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    const tries = { ...entry('deleteUser'), outcome: 'UNAUTHENTICATED', status: 401 }
    for (const target of ['root', 'root']) trail.tally({ ...tries, address: '10.0.0.1', target })
    for (const target of ['root', 'ana', 'root']) trail.tally({ ...tries, address: '10.0.0.2', target })
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(1)
    asked[0]!.take()
    await closed
    expect(entries.map(({ target, detail }) => [target, detail?.times])).toEqual([
      ['root', 2],
      ['', 3],
    ])
  })

  it('counts on when the store would not take what was counted', async () => {
    const { asked, entries, store } = heldStore()
    const trail = open(store)
    trail.note(entry('start'))
    trail.note(entry('start'))
    await expect.poll(() => asked.length).toBe(1)
    asked[0]!.fail()
    trail.note(entry('start'))
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(2)
    asked[1]!.take()
    await closed
    expect(entries.map(({ detail }) => detail?.times ?? 1)).toEqual([2, 1])
  })

  it('tries again while it closes, soon at first, until the store takes what waits', async () => {
    const { trail, clock, errors, appended } = closing((time) => (time <= 2 ? 'fails' : 'takes'))
    trail.note(entry('a'))
    trail.note(entry('b'))
    const closed = trail.close()
    expect(await clock.runUntilIdle()).toBe(true)
    await closed
    expect(appended).toEqual([
      { at: 0, operations: ['a', 'b'] },
      { at: 100, operations: ['a', 'b'] },
      { at: 300, operations: ['a', 'b'] },
    ])
    expect(errors).toEqual([])
  })

  it.each(['fails', 'hangs'] as const)(
    'gives up after five seconds on a store that %s, and logs what is lost',
    async (how) => {
      const { trail, clock, errors, appended } = closing(() => how)
      trail.note(entry('a'))
      let endedAt: number | undefined
      const closed = trail.close().then(() => {
        endedAt = clock.monotonic()
      })
      expect(await clock.runUntilIdle()).toBe(true)
      await closed
      expect(endedAt).toBe(5_000)
      if (how === 'fails') expect(appended.length).toBeGreaterThan(5)
      expect(errors).toEqual([
        ['audit entries could not be written before the stop', [expect.objectContaining({ operation: 'a' })]],
      ])
    },
  )

  it('gives up what the store refuses for itself, with a line that has it, and writes the others', async () => {
    const clock = virtualClock()
    const written: string[] = []
    const lines: { readonly message: string; readonly fields: unknown }[] = []
    const logger = {
      ...silentLogger,
      error: (message: string, fields?: unknown) => void lines.push({ message, fields }),
    }
    const append = async (given: readonly NewAuditEntry[]): Promise<void> => {
      if (given.some(({ operation }) => operation === 'bad')) throw new Error('null value in column "address"')
      written.push(...given.map(({ operation }) => operation))
    }
    const store = { ...heldStore().store, append }
    const trail = new AuditTrail({ store, clock, logger: logger as unknown as Logger })
    trail.note(entry('bad'))
    for (const name of ['a', 'b']) trail.note(entry(name))
    await clock.advance(10_000)
    expect(written.sort()).toEqual(['a', 'b'])
    for (const name of ['c', 'd', 'e', 'f']) {
      trail.note(entry(name))
      trail.note(entry(`${name}2`))
      await clock.advance(10_000)
    }
    expect(written).toHaveLength(10)
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines[0])).toMatch(/given up.*null value.*"bad"/)
    await trail.close()
  })

  it('gives up nothing while the store takes nothing at all', async () => {
    const clock = virtualClock()
    const lines: string[] = []
    const logger = {
      ...silentLogger,
      error: (message: string) => void lines.push(message),
    } as unknown as Logger
    const written: string[] = []
    let isFull = true
    const append = async (given: readonly NewAuditEntry[]): Promise<void> => {
      if (isFull) throw new Error('no space left on device')
      written.push(...given.map(({ operation }) => operation))
    }
    const trail = new AuditTrail({ store: { ...heldStore().store, append }, clock, logger })
    for (const name of ['a', 'b', 'c']) trail.note(entry(name))
    await clock.advance(60_000)
    isFull = false
    await clock.advance(60_000)
    expect([written.sort(), lines]).toEqual([['a', 'b', 'c'], []])
  })

  it('gives up in the end what the store refuses on a node that is idle otherwise, and asks no more', async () => {
    const { trail, clock, errors, appended } = closing(() => 'refuses')
    trail.note(entry('bad'))
    await clock.advance(60_000)
    expect([appended.length > 50, errors]).toEqual([true, []])
    await clock.advance(600_000)
    const refused = 'an audit entry is given up: the store refuses it'
    expect(errors).toEqual([[refused, [expect.objectContaining({ operation: 'bad' })]]])
    const asked = appended.length
    await clock.advance(600_000)
    expect(appended).toHaveLength(asked)
    trail.note(entry('bad again'))
    const begun = clock.monotonic()
    const closed = trail.close()
    expect(await clock.runUntilIdle()).toBe(true)
    await closed
    expect([clock.monotonic() - begun, appended.length - asked < 20]).toEqual([5_000, true])
  })

  it('gives up nothing of one alone while the store is away, however long', async () => {
    let isAway = true
    const { trail, clock, errors, appended } = closing(() => (isAway ? 'fails' : 'takes'))
    trail.note(entry('a'))
    await clock.advance(7_200_000)
    isAway = false
    await clock.advance(1_000)
    expect([errors, appended.at(-1)!.operations]).toEqual([[], ['a']])
    const asked = appended.length
    await clock.advance(10_000)
    expect(appended).toHaveLength(asked)
  })
})

/** A trail on a store that does as it is told, the first time and the others, and on time that passes when the test says so. */
function closing(how: (time: number) => 'takes' | 'fails' | 'refuses' | 'hangs') {
  const clock = virtualClock()
  const appended: { readonly at: number; readonly operations: readonly string[] }[] = []
  const errors: unknown[] = []
  const store: AuditStore = {
    append: (given) => {
      appended.push({ at: clock.monotonic(), operations: given.map(({ operation }) => operation) })
      const told = how(appended.length)
      if (told === 'hangs') return new Promise(() => {})
      return told === 'takes'
        ? Promise.resolve()
        : Promise.reject(Object.assign(new Error('the store is busy'), { retryable: told === 'fails' }))
    },
    list: async () => ({ rows: [], lookedTo: undefined }),
    trim: async () => 0,
  }
  const logger: Logger = { ...silentLogger, error: (message, fields) => void errors.push([message, fields?.entries]) }
  return { trail: new AuditTrail({ store, clock, logger }), clock, errors, appended }
}
