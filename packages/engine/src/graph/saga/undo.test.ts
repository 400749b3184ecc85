import { describe, expect, it } from 'vitest'
import type { ActivityDocument } from '../document.ts'
import { drive, type ToyDriver } from '../fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from '../fixtures/toy-shell.fixture.ts'
import { verdict } from '../verdict.ts'
import { compensationsOf } from './compensation-view.ts'

/** A step that `un-<id>` undoes. */
const undoable = (id: string, more: Partial<ActivityDocument> = {}): ActivityDocument => ({
  id,
  type: 'book',
  compensate: toyBody([`un-${id}`]),
  ...more,
})
const states = ({ state }: ToyDriver): string[] => compensationsOf(state).map((each) => `${each.step} ${each.state}`)

describe('an instance that fails', () => {
  const document = toyDocument([undoable('a'), undoable('b'), 'plain', 'c'], ['a -> b', 'b -> plain', 'plain -> c'])

  it('undoes what completed, newest first and one after the other, and ends with its own failure', () => {
    const it = drive(document)
    it.start()
    it.done('a')
    it.done('b')
    it.done('plain')
    expect(it.fail('c', { code: 'NO_STOCK' })).toEqual(['b:undo.un-b'])
    expect(states(it)).toEqual(['a to-undo', 'b undoing'])
    expect(verdict(it.state)).toBeUndefined()
    expect(it.done('b:undo.un-b')).toEqual(['a:undo.un-a'])
    expect(states(it)).toEqual(['a undoing', 'b undone'])
    expect(it.done('a:undo.un-a')).toEqual([])
    expect(verdict(it.state)).toMatchObject({ status: 'faulted', error: { code: 'NO_STOCK', step: 'c' } })
    it.apply({ kind: 'ended', status: 'faulted' })
    expect(states(it)).toEqual(['a undone', 'b undone'])
    expect(() => it.apply({ kind: 'retried' })).toThrow('undone')
  })

  it('stands still where a compensation fails, keeps the rest, and goes on there when it is retried', () => {
    const it = drive(document)
    it.start()
    it.done('a')
    it.done('b')
    it.done('plain')
    it.fail('c', { code: 'NO_STOCK' })
    it.fail('b:undo.un-b', { code: 'BANK_DOWN', message: 'closed' })
    expect(verdict(it.state)).toMatchObject({
      status: 'faulted',
      error: {
        code: 'COMPENSATION_FAILED',
        step: 'b',
        data: { error: { code: 'BANK_DOWN' }, cause: { code: 'NO_STOCK' } },
      },
    })
    expect(states(it)).toEqual(['a to-undo', 'b failed'])
    it.apply({ kind: 'ended', status: 'faulted' })
    expect(it.apply({ kind: 'retried' })).toEqual(['b:undo.un-b'])
    expect(states(it)).toEqual(['a to-undo', 'b undoing'])
    expect(it.done('b:undo.un-b')).toEqual(['a:undo.un-a'])
    it.done('a:undo.un-a')
    expect(verdict(it.state)).toMatchObject({ status: 'faulted', error: { code: 'NO_STOCK' } })
  })

  it('stands where it is when nothing can be undone', () => {
    const it = drive(document)
    it.start()
    it.fail('a')
    expect(it.state.undoing).toBeUndefined()
    expect(it.state.executions.a?.phase).toBe('failed')
  })

  it('does not undo what failed and was told to go on', () => {
    const it = drive(toyDocument([undoable('a', { onError: 'continue' }), 'c'], ['a -> c']))
    it.start()
    it.fail('a')
    it.fail('c')
    expect(states(it)).toEqual([])
    expect(verdict(it.state)?.status).toBe('faulted')
  })

  it('sees the failure, and the outputs and turn of the moment at which the step completed', () => {
    const seen = { $expr: '[steps.x.output, item, index, error.code]' }
    const turn = toyBody(
      ['y', undoable('x', { compensate: { activities: [{ id: 'un', type: 'task', inputs: { seen } }] } })],
      ['y -> x'],
    )
    const it = drive(
      toyDocument([{ id: 'loop', type: 'for-each', inputs: { items: [] }, body: turn }, 'c'], ['loop -> c']),
    )
    it.start()
    it.open('loop', { items: ['p', 'q'] })
    for (const at of [0, 1]) {
      it.done(`loop[${at}].y`)
      it.done(`loop[${at}].x`, 'done', `out ${at}`)
    }
    expect(it.fail('c')).toEqual(['loop[1].x:undo.un'])
    const scopes = it.state.scopes
    expect(scopes['loop[1].x:undo']).toMatchObject({
      steps: { x: { output: 'out 1' } },
      turn: { item: 'q', index: 1 },
      error: { code: 'BROKEN' },
    })
    expect(it.done('loop[1].x:undo.un')).toEqual(['loop[0].x:undo.un'])
    expect(it.state.scopes['loop[0].x:undo']).toMatchObject({
      steps: { x: { output: 'out 0' } },
      turn: { item: 'p', index: 0 },
    })
  })
})

describe('an instance that is cancelled', () => {
  it('undoes what completed and ends as cancelled', () => {
    const it = drive(toyDocument([undoable('a'), 'c'], ['a -> c']))
    it.start()
    it.done('a')
    expect(it.apply({ kind: 'cancelled', reason: 'changed my mind' })).toEqual(['a:undo.un-a'])
    expect(it.cancelled()).toEqual(['c'])
    expect(it.state.scopes['a:undo']?.error).toEqual({ code: 'CANCELLED', message: 'changed my mind' })
    expect(() => it.apply({ kind: 'cancelled' })).toThrow('being undone')
    it.done('a:undo.un-a')
    expect(verdict(it.state)).toEqual({ status: 'cancelled' })
  })

  it('leaves all as it is when it is told to', () => {
    const it = drive(toyDocument([undoable('a'), undoable('c')], ['a -> c']))
    it.start()
    it.done('a')
    expect(it.apply({ kind: 'cancelled', compensate: false })).toEqual([])
    expect(it.cancelled()).toEqual(['c'])
    expect(verdict(it.state)).toEqual({ status: 'cancelled' })
    expect(states(it)).toEqual(['a to-undo'])
  })

  it('lets a step that may have run come to its end, and undoes it first', () => {
    const it = drive(toyDocument([undoable('a'), undoable('b')], ['a -> b']))
    it.start()
    it.done('a')
    expect(it.apply({ kind: 'cancelled' })).toEqual([])
    expect(it.cancelled()).toEqual(['b'])
    expect(verdict(it.state)).toBeUndefined()
    expect(it.done('b')).toEqual(['b:undo.un-b'])
    expect(it.done('b:undo.un-b')).toEqual(['a:undo.un-a'])
    it.done('a:undo.un-a')
    expect(verdict(it.state)).toEqual({ status: 'cancelled' })
  })

  it('does not undo a step that failed when it was told to stop', () => {
    const it = drive(toyDocument([undoable('b')]))
    it.start()
    it.apply({ kind: 'cancelled' })
    expect(it.fail('b')).toEqual([])
    expect(verdict(it.state)).toEqual({ status: 'cancelled' })
  })

  it('waits for its children before it undoes anything, and undoes one that completed all the same', () => {
    const kid = { type: 'run-workflow', inputs: { definitionId: 'x' } }
    const it = drive(
      toyDocument(
        [
          undoable('a'),
          {
            id: 'both',
            type: 'parallel',
            branches: [
              { activities: [{ id: 'kid', ...kid, compensate: toyBody(['un-kid']) }] },
              { activities: [{ id: 'other', ...kid }] },
              { activities: [{ id: 'loose', ...kid }] },
            ],
          },
        ],
        ['a -> both'],
      ),
    )
    it.start()
    it.done('a')
    it.open('both')
    it.apply({ kind: 'waiting', step: 'both[0].kid', wait: { kind: 'child', instanceId: 'k' } })
    it.apply({ kind: 'waiting', step: 'both[1].other', wait: { kind: 'child', instanceId: 'o' } })
    it.apply({ kind: 'waiting', step: 'both[2].loose', wait: { kind: 'child', instanceId: 'l', detached: true } })
    expect(it.apply({ kind: 'cancelled' })).toEqual([])
    expect(Object.keys(it.state.waits)).toEqual(['both[0].kid', 'both[1].other'])
    expect(it.done('both[0].kid', 'done', 'out')).toEqual([])
    expect(it.fail('both[1].other')).toEqual(['both[0].kid:undo.un-kid'])
    expect(it.done('both[0].kid:undo.un-kid')).toEqual(['a:undo.un-a'])
  })
})

describe('an activity compensate', () => {
  const guard = (caught: readonly (string | ActivityDocument)[], connections: string[] = []): ActivityDocument => ({
    id: 'guard',
    type: 'try',
    body: toyBody([undoable('a'), undoable('b'), 'boom'], ['a -> b', 'b -> boom']),
    catch: toyBody(caught, connections),
  })

  it('undoes what the body of its try did, then goes on', () => {
    const it = drive(
      toyDocument(
        [undoable('before'), guard([{ id: 'undo', type: 'compensate' }, 'next'], ['undo -> next']), 'last'],
        ['before -> guard', 'guard -> last'],
      ),
    )
    it.start()
    it.done('before')
    it.open('guard')
    it.done('guard.a')
    it.done('guard.b')
    it.fail('guard.boom')
    expect(it.open('guard:catch.undo')).toEqual(['guard.b:undo.un-b'])
    expect(it.done('guard.b:undo.un-b')).toEqual(['guard.a:undo.un-a'])
    expect(it.done('guard.a:undo.un-a')).toEqual(['guard:catch.next'])
    expect(states(it)).toEqual(['before to-undo'])
    expect(it.done('guard:catch.next')).toEqual(['last'])
    expect(it.fail('last')).toEqual(['before:undo.un-before'])
  })

  it('undoes one step, or those of one container, where it names it', () => {
    const it = drive(toyDocument([guard([{ id: 'undo', type: 'compensate', inputs: { scope: 'a' } }])]))
    it.start()
    it.open('guard')
    it.done('guard.a')
    it.done('guard.b')
    it.fail('guard.boom')
    expect(it.open('guard:catch.undo', { scope: 'a' })).toEqual(['guard.a:undo.un-a'])
    it.done('guard.a:undo.un-a')
    expect(states(it)).toEqual(['guard.b to-undo'])
    expect(verdict(it.state)?.status).toBe('completed')
  })

  it('is about its own turn of a loop', () => {
    const turn = toyBody([undoable('a'), { id: 'undo', type: 'compensate' }], ['a -> undo'])
    for (const more of [{}, { scope: 'a' }]) {
      const it = drive(toyDocument([{ id: 'loop', type: 'for-each', inputs: { items: [] }, body: turn }]))
      it.start()
      it.open('loop', { items: [1, 2], concurrency: 2 })
      it.done('loop[0].a')
      it.done('loop[1].a')
      expect(it.open('loop[1].undo', more)).toEqual(['loop[1].a:undo.un-a'])
      it.done('loop[1].a:undo.un-a')
      expect(states(it)).toEqual(['loop[0].a to-undo'])
    }
  })

  it('has nothing to do where nothing was done', () => {
    const it = drive(toyDocument([guard([{ id: 'undo', type: 'compensate' }])]))
    it.start()
    it.open('guard')
    it.fail('guard.a')
    expect(it.open('guard:catch.undo')).toEqual([])
    expect(verdict(it.state)?.status).toBe('completed')
  })

  it('faults the instance when it cannot be done, and goes on after a retry', () => {
    const it = drive(toyDocument([guard([{ id: 'undo', type: 'compensate' }, 'next'], ['undo -> next'])]))
    it.start()
    it.open('guard')
    it.done('guard.a')
    it.fail('guard.b')
    it.open('guard:catch.undo')
    it.fail('guard.a:undo.un-a')
    expect(verdict(it.state)).toMatchObject({
      status: 'faulted',
      error: { code: 'COMPENSATION_FAILED', step: 'guard.a' },
    })
    it.apply({ kind: 'ended', status: 'faulted' })
    expect(it.apply({ kind: 'retried' })).toEqual(['guard.a:undo.un-a'])
    expect(it.done('guard.a:undo.un-a')).toEqual(['guard:catch.next'])
  })

  it('goes on with what it has begun when the instance is cancelled meanwhile', () => {
    const it = drive(
      toyDocument([undoable('before'), guard([{ id: 'undo', type: 'compensate' }])], ['before -> guard']),
    )
    it.start()
    it.done('before')
    it.open('guard')
    it.done('guard.a')
    it.fail('guard.b')
    it.open('guard:catch.undo')
    expect(it.apply({ kind: 'cancelled' })).toEqual([])
    expect(states(it)).toEqual(['before to-undo', 'guard.a undoing'])
    expect(it.done('guard.a:undo.un-a')).toEqual(['before:undo.un-before'])
    it.done('before:undo.un-before')
    expect(verdict(it.state)).toEqual({ status: 'cancelled' })
  })
})

describe('a branch that is cancelled', () => {
  const race: ActivityDocument = {
    id: 'race',
    type: 'parallel',
    inputs: { join: 'any' },
    branches: [{ activities: [undoable('slow')] }, toyBody(['fast'])],
  }

  it('takes back what was at work in it, and the instance ends after that', () => {
    const it = drive(toyDocument([race, 'next'], ['race -> next']))
    it.start()
    it.open('race', { join: 'any' })
    expect(it.done('race[1].fast')).toEqual(['next'])
    expect(it.cancelled()).toEqual(['race[0].slow'])
    it.done('next')
    expect(verdict(it.state)).toBeUndefined()
    expect(it.done('race[0].slow')).toEqual(['race[0].slow:undo.un-slow'])
    it.done('race[0].slow:undo.un-slow')
    expect(verdict(it.state)?.status).toBe('completed')
  })

  it('forgets it when it failed', () => {
    const it = drive(toyDocument([race]))
    it.start()
    it.open('race', { join: 'any' })
    it.done('race[1].fast')
    it.fail('race[0].slow')
    expect(verdict(it.state)?.status).toBe('completed')
  })
})
