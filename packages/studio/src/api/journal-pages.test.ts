import { describe, expect, it } from 'vitest'
import { isSettled, type JournalWindow, type PageQuery, readWindow, wholeJournal } from './journal-pages.ts'
import type { FactRow } from './wire.ts'

const fact = (seq: number): FactRow => ({
  ...{ seq, kind: 'completed', at: new Date(seq).toISOString(), nodeId: 'n', claimNo: 1 },
  data: {},
})

/** A journal as the API serves it. */
function served(length: () => number) {
  const asked: PageQuery[] = []
  const read = async (query: PageQuery) => {
    asked.push(query)
    const all = Array.from({ length: length() }, (_, index) => fact(index + 1))
    const { order = 'asc', after = 0, before = Number.POSITIVE_INFINITY, limit } = query
    const fit = all.filter(({ seq }) => seq > Number(after) && seq < Number(before))
    const items = order === 'asc' ? fit.slice(0, limit) : fit.toReversed().slice(0, limit)
    const next = items.length < fit.length ? String(items.at(-1)!.seq) : null
    return { items, page: { next, prev: null, limit }, count: { value: length(), exact: true } }
  }
  return { read, asked }
}

const ends = ({ facts }: JournalWindow) => [facts[0]?.seq, facts.at(-1)?.seq]

describe('the newest facts of a journal', () => {
  it('are there with the first page, and go back as far as they are wanted', async () => {
    const { read } = served(() => 5_000)
    const told: unknown[] = []
    const window = await readWindow(read, undefined, (sofar) => told.push(ends(sofar)))
    expect(told[0]).toEqual([4_801, 5_000])
    expect(told).toHaveLength(10)
    expect(ends(window)).toEqual([3_001, 5_000])
    expect([window.complete, isSettled(window)]).toEqual([false, true])
  })

  it('go on from what was read before they were interrupted, at both ends', async () => {
    let length = 500
    const { read, asked } = served(() => length)
    let half: JournalWindow | undefined
    const broken = readWindow(read, undefined, (sofar) => {
      half = sofar
      throw new Error('interrupted')
    })
    await expect(broken).rejects.toThrow('interrupted')
    length = 510
    const window = await readWindow(read, half, () => {})
    expect([...ends(window), window.complete]).toEqual([1, 510, true])
    expect(new Set(window.facts.map(({ seq }) => seq)).size).toBe(510)
    expect(asked.filter(({ order }) => order === 'desc')).toHaveLength(3)
  })

  it('go back further when more are wanted, from what is there, and keep what was wanted while more happens', async () => {
    let length = 5_000
    const { read, asked } = served(() => length)
    const known = await readWindow(read, undefined, () => {})
    asked.length = 0
    const wider = await readWindow(read, { ...known, room: 4_000 }, () => {})
    expect([...ends(wider), wider.complete]).toEqual([1_001, 5_000, false])
    expect(asked.filter(({ order }) => order === 'desc')).toHaveLength(10)
    length = 5_150
    expect(ends(await readWindow(read, wider, () => {}))).toEqual([1_001, 5_150])
    const whole = await readWindow(read, { ...wider, room: 20_000 }, () => {})
    expect([...ends(whole), whole.complete]).toEqual([1, 5_150, true])
    expect(whole.facts.every(({ seq }, index) => seq === index + 1)).toBe(true)
  })

  it('begin anew when too much has happened', async () => {
    let length = 300
    const { read } = served(() => length)
    const known = await readWindow(read, undefined, () => {})
    length = 9_000
    expect(ends(await readWindow(read, known, () => {}))).toEqual([7_001, 9_000])
  })
})

describe('a whole journal', () => {
  it('holds every fact, however many pages there are', async () => {
    const facts = await wholeJournal(served(() => 2_345).read)
    expect([facts[0]?.seq, facts.at(-1)?.seq, facts.length]).toEqual([1, 2_345, 2_345])
  })
})
