import { describe, expect, it } from 'vitest'
import { type Fact, factToRow } from '../journal/fact.ts'
import type { InstanceStanding } from '../store/maintenance-store.ts'
import { explain } from './explain.ts'
import { openWaits } from './open-waits.ts'
import { adviceFor, inWords, whyText } from './why-text.ts'

const NOW = 10_000_000
const here = { nodeId: 'n1', ttlMs: 3_000, queues: ['default'], hasRoom: true }
const node = { nodeId: 'n1', name: 'one', silentMs: 100, roles: ['api', 'worker'], wanted: 'active' as const }

const standing = (extra: Partial<InstanceStanding> = {}): InstanceStanding => ({
  ...{ now: NOW, definitionId: 'd', version: 1, status: 'suspended', queue: 'default', parentId: undefined },
  ...{ createdAt: NOW - 9_000, finishedAt: undefined, lastSeq: 5, agenda: undefined, owner: undefined },
  ...{ bookmarks: [], children: [], messages: { value: 0, exact: true }, incidents: [], nodes: [node] },
  ...extra,
})

const agenda = (dueAt: number) => ({ dueAt, claimNo: 2, crashes: 0, stim: 0, ahead: { value: 0, exact: true } })
const facts = (...list: [ago: number, fact: Fact][]) =>
  openWaits(
    list.map(([ago, fact], index) => {
      const row = factToRow(fact)
      return { seq: index + 1, kind: row.kind, data: JSON.parse(row.data), at: NOW - ago }
    }),
  )

describe('what it waits for', () => {
  it('is over when its step has ended', () => {
    const open = facts(
      [50, { kind: 'waiting', step: 'a', wait: { kind: 'timer', ms: 9_000 } }],
      [40, { kind: 'waiting', step: 'b', wait: { kind: 'timer', ms: 9_000 } }],
      [30, { kind: 'completed', step: 'a', outcome: 'done' }],
    )
    expect([...open.keys()]).toEqual(['b'])
  })

  it('does not name a timer that went with its container: the instance is due later than it', () => {
    const open = facts(
      [50_000, { kind: 'waiting', step: 'par[0].a', wait: { kind: 'timer', ms: 1_000 } }],
      [100, { kind: 'waiting', step: 'b', wait: { kind: 'timer', ms: 60_000 } }],
    )
    const why = explain(standing({ agenda: agenda(NOW + 59_900) }), open, here)
    expect(why).toMatchObject({ state: 'waiting', waitsFor: [{ step: 'b', dueAt: NOW + 59_900 }] })
    expect(whyText(why, NOW)).toBe('It waits at "b" for its time, in 59 s.')
  })

  it('takes the time-out of an event from the journal', () => {
    const open = facts([
      5_000,
      { kind: 'waiting', step: 'ask', wait: { kind: 'event', name: 'paid', timeoutMs: 65_000 } },
    ])
    const mark = {
      id: 'b',
      step: 'ask',
      kind: 'event',
      name: 'paid',
      correlationId: undefined,
      expiresAt: undefined,
      createdAt: NOW - 5_000,
    }
    const why = explain(standing({ agenda: agenda(NOW + 60_000), bookmarks: [mark] }), open, here)
    expect(why.waitsFor).toMatchObject([{ kind: 'event', expiresAt: NOW + 60_000 }])
    expect(whyText(why, NOW)).toBe('It waits for event "paid" since 5 s, for 1 min more.')
  })
})

it('says what it waits for also while a node keeps it in hand, such as in a critical section', () => {
  const mark = { id: 'b', step: 'cs.ask', kind: 'event', name: 'paid', correlationId: undefined, expiresAt: undefined }
  const owner = { ...node, doomed: false }
  const held = standing({ agenda: agenda(NOW - 5_000), owner, bookmarks: [{ ...mark, createdAt: NOW - 5_000 }] })
  const why = explain(held, new Map(), here)
  expect(why).toMatchObject({ state: 'held', heldBy: { name: 'one' } })
  expect(whyText(why, NOW)).toBe('Node one has it (claim 2). Meanwhile it waits for event "paid" since 5 s.')
  expect(whyText(explain({ ...held, bookmarks: [] }, new Map(), here), NOW)).toBe('Node one has it (claim 2).')
})

describe('why nobody takes it', () => {
  const due = { agenda: agenda(NOW - 4_000) }

  it('is that it is the next', () => {
    const why = explain(standing(due), new Map(), here)
    expect(why).toMatchObject({ state: 'due', blockers: [], queue: { lateMs: 4_000 } })
    expect(whyText(why, NOW)).toBe('It is due since 4 s in queue "default", and it is the next.')
  })

  it.each([
    ['no-living-node', { nodes: [{ ...node, silentMs: 60_000 }] }, here],
    ['no-worker-here', { queue: 'fn/order/3' }, here],
    ['node-full', {}, { ...here, hasRoom: false }],
  ] as const)('is %s', (kind, extra, asking) => {
    expect(explain(standing({ ...due, ...extra }), new Map(), asking).blockers).toMatchObject([{ kind }])
  })

  const other = { ...node, nodeId: 'n2', name: 'two' }
  const told = (nodes: InstanceStanding['nodes']) => {
    const why = explain(standing({ ...due, nodes }), new Map(), { ...here, hasRoom: false })
    return { kinds: why.blockers.map(({ kind }) => kind), text: whyText(why, NOW), advice: adviceFor(why) }
  }

  it('is an operator who cordoned the only living node, and not that it is full', () => {
    const { kinds, text, advice } = told([
      { ...node, wanted: 'cordoned' },
      { ...other, silentMs: 60_000 },
    ])
    expect(kinds).toEqual(['nodes-cordoned'])
    expect(text).toContain('Node one is cordoned by an operator')
    expect(advice).toEqual([expect.stringContaining('lockstep cluster uncordon one')])
  })

  it('is an operator who cordoned or drained every node that works, whatever others do', () => {
    const { kinds, text } = told([
      { ...node, wanted: 'cordoned' },
      { ...other, wanted: 'drained' },
      { ...other, nodeId: 'n3', name: 'three', roles: ['api'] },
    ])
    expect([kinds, text]).toEqual([['nodes-cordoned'], expect.stringContaining('one, two')])
  })

  it('is that nobody works here', () => {
    const { kinds, advice } = told([{ ...node, roles: ['api', 'scheduler'] }])
    expect([kinds, advice]).toEqual([['no-living-worker'], ['Start a node with the role worker']])
  })

  it('is nothing where this node is cordoned or no worker, and another takes work', () => {
    expect(told([{ ...node, wanted: 'cordoned' }, other]).kinds).toEqual([])
    expect(told([{ ...node, roles: ['api'] }, other]).kinds).toEqual([])
  })
})

it('says durations as people do', () => {
  expect([0, 900, 61_000, 3_600_000, 90_061_000, -5_000].map(inWords)).toEqual([
    'under a second',
    'under a second',
    '1 min 1 s',
    '1 h',
    '1 d 1 h',
    '5 s',
  ])
})
