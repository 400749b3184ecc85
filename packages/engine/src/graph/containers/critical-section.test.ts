import { describe, expect, it } from 'vitest'
import { expressionScope } from '../expression-scope.ts'
import { drive } from '../fixtures/toy-driver.fixture.ts'
import { toyBody, toyDocument } from '../fixtures/toy-shell.fixture.ts'
import { verdict } from '../verdict.ts'

const document = toyDocument(
  [
    {
      id: 'till',
      type: 'critical-section',
      inputs: { lock: 'till' },
      body: toyBody([{ id: 'take', type: 'task', inputs: { fence: { $expr: 'steps.till.output.fence' } } }]),
    },
    'next',
  ],
  ['till -> next'],
)

describe('a critical section', () => {
  it('shows its body the fence of the grant, and the new one after the lock was taken again', () => {
    const it = drive(document)
    it.start()
    expect(it.open('till', { lock: 'till', fence: '7' })).toEqual(['till.take'])
    const seen = () => expressionScope(it.program, it.state, 'till.take').steps
    expect(seen()).toEqual({ till: { output: { lock: 'till', fence: '7' } } })
    it.apply({ kind: 'locked', step: 'till', fence: '9' })
    expect(seen()).toEqual({ till: { output: { lock: 'till', fence: '9' } } })
    expect(it.done('till.take')).toEqual(['next'])
    expect(expressionScope(it.program, it.state, 'next').steps).toMatchObject({ till: { output: { fence: '9' } } })
  })

  it('waits for its lock, and is left by a time-out', () => {
    const it = drive(document)
    it.start()
    it.apply({ kind: 'waiting', step: 'till', wait: { kind: 'lock', name: 'till', timeoutMs: 50 } }, 100)
    expect(it.state.waits.till?.dueAt).toBe(150)
    it.done('till', 'timeout')
    expect(verdict(it.state)?.status).toBe('completed')
  })

  it('drops its body when it fails', () => {
    const it = drive(document)
    it.start()
    it.open('till', { lock: 'till', fence: '7' })
    it.fail('till', { code: 'LEASE_LOST' })
    expect(it.cancelled()).toContain('till.take')
    expect(verdict(it.state)).toMatchObject({ status: 'faulted', error: { code: 'LEASE_LOST' } })
    expect(() => it.apply({ kind: 'locked', step: 'till', fence: '9' })).toThrow('faulted')
  })
})
