import { describe, expect, it } from 'vitest'
import type { StateAt } from '../../api/wire.ts'
import { stepStates, type Tally, takenEdges } from './step-states.ts'

const tally = (activity: string, more: Partial<Tally> = {}): Tally => ({
  ...{ activity, status: 'completed', runs: 1, outcomes: { done: 1 }, lastError: null },
  ...more,
})

const document = {
  activities: [
    { id: 'first', type: 'log' },
    { id: 'each', type: 'for-each', body: { activities: [{ id: 'say', type: 'log' }] } },
    { id: 'last', type: 'if' },
    { id: 'never', type: 'log' },
  ],
  connections: [
    { from: 'first', to: 'each' },
    { from: 'each', to: 'last' },
    { from: 'last', outcome: 'true', to: 'never' },
  ],
}

describe('a drawing', () => {
  it('shows what ended long ago, and how often, however long the journal is', () => {
    const tallies = [tally('first'), tally('each', { status: 'running', outcomes: {} }), tally('say', { runs: 5_000 })]
    const states = stepStates(tallies, undefined, 0)
    expect(states.get('first')?.status).toBe('completed')
    expect(states.get('say')?.runs).toBe(5_000)
    expect(states.get('last')).toBeUndefined()
    expect([...takenEdges(document, tallies)]).toEqual(['first done each'])
  })

  it('says what a step waits for, and why one failed', () => {
    const state = {
      steps: [{ step: 'last', activity: 'last', phase: 'waiting', attempt: 1 }],
      waits: [{ step: 'last', kind: 'event', name: 'paid', seq: 3, dueAt: null }],
    } as unknown as StateAt
    const lastError = { code: 'X', message: 'No room' }
    const tallies = [tally('last', { status: 'suspended' }), tally('first', { status: 'faulted', lastError })]
    const states = stepStates(tallies, state, 0)
    expect(states.get('last')).toMatchObject({ status: 'suspended', note: 'event paid' })
    expect(states.get('first')?.note).toBe('No room')
  })

  it('says which lock, limit or breaker holds a step back, and when it is tried again', () => {
    const held = (kind: string, key: string, untilAt: string | null) => ({
      ...{ kind, key, untilAt, step: 'each[2].say#1', text: '' },
    })
    const note = (...why: Parameters<typeof stepStates>[3][]) =>
      stepStates([tally('say', { status: 'running' })], undefined, 0, why[0]).get('say')?.note
    expect(note({ blockers: [held('lock', 'order:42', null)], waitsFor: [] })).toBe('lock order:42')
    const until = '1970-01-01T00:00:48.000Z'
    expect(note({ blockers: [held('breaker', 'bank', until)], waitsFor: [] })).toBe('breaker bank, 00:00:48')
    const retry = { kind: 'retry', step: 'each[2].say#1', dueAt: until }
    expect(note({ blockers: [], waitsFor: [retry] })).toBe('again in 00:00:48')
    const all = { ...held('node-full', 'x', null), step: null }
    expect(note({ blockers: [all], waitsFor: [] })).toBeUndefined()
    const ended = stepStates([tally('say')], undefined, 0, { blockers: [held('lock', 'a', null)], waitsFor: [] })
    expect(ended.get('say')?.note).toBeUndefined()
  })

  it('takes no edge by an outcome that nobody left by, and none to a step that has not begun', () => {
    expect([...takenEdges(document, [tally('last', { outcomes: { false: 1 } }), tally('never')])]).toEqual([])
    expect([...takenEdges(document, [tally('last', { outcomes: { true: 2 } }), tally('never')])]).toEqual([
      'last true never',
    ])
    expect([...takenEdges(document, [tally('each')])]).toEqual([])
  })
})
