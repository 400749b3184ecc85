import { describe, expect, it } from 'vitest'
import { Unwritten } from './unwritten.ts'

/** Consumes a message and writes that down, as a checkpoint does after which the instance is still held. */
function consumeAndWrite(unwritten: Unwritten, id: string): void {
  expect(unwritten.consume(id)).toBe(true)
  unwritten.send(unwritten.takePending(), { kind: 'active' }, { kind: 'hold' }, undefined)
  unwritten.reached(unwritten.land()!)
}

describe('a message', () => {
  it('is consumed once: while that is recorded, on its way, and written', () => {
    const unwritten = new Unwritten([])
    expect([unwritten.consume('a'), unwritten.consume('a')]).toEqual([true, false])
    unwritten.send(unwritten.takePending(), { kind: 'active' }, { kind: 'hold' }, undefined)
    expect(unwritten.consume('a')).toBe(false)
    unwritten.reached(unwritten.land()!)
    // An inbox that was read before the commit, and is heard after it.
    expect(unwritten.consume('a')).toBe(false)
  })

  it('that an inbox has no more is not remembered any longer', () => {
    const unwritten = new Unwritten([])
    consumeAndWrite(unwritten, 'a')
    consumeAndWrite(unwritten, 'b')
    unwritten.heard([{ id: 'b' }, { id: 'c' }])
    expect(['a', 'b', 'c'].map((id) => unwritten.consume(id))).toEqual([true, false, true])
  })

  it('whose consumption was refused can be consumed with what is sent next', () => {
    const unwritten = new Unwritten([])
    unwritten.consume('a')
    unwritten.send(unwritten.takePending(), { kind: 'active' }, { kind: 'hold' }, undefined)
    const refused = unwritten.land()!
    unwritten.pending.restore(refused.change)
    expect(unwritten.consume('a')).toBe(false)
    expect(unwritten.takePending().consumes).toEqual(['a'])
  })
})
