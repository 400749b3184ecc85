import { expect, it } from 'vitest'
import type { Instance } from '../../api/wire.ts'
import { nowText } from './now-text.ts'

const instance = (more: Partial<Instance>): Instance =>
  ({ status: 'running', output: null, error: null, incidents: [], waitingFor: [], ...more }) as unknown as Instance

it('says of every instance where it stands', () => {
  const failure = { code: 'X', message: 'No room', step: 'pack' }
  const wait = { bookmarkId: 'b', kind: 'event', name: 'paid' }
  expect(nowText(instance({ status: 'faulted', error: failure }))).toBe('pack: No room')
  expect(nowText(instance({ status: 'suspended', waitingFor: [wait, wait] }))).toBe('waits for event paid and 1 more')
  expect(nowText(instance({ status: 'suspended' }))).toBe('waits for its time')
  expect(nowText(instance({ status: 'queued' }))).toBe('waits for a worker')
  expect(nowText(instance({ status: 'completed', output: { total: 10, by: 'ann' } }))).toBe('total: 10, by: "ann"')
  expect(nowText(instance({ status: 'completed', output: 'x'.repeat(200) }))).toHaveLength(81)
  expect(nowText(instance({ status: 'completed' }))).toBe('')
})
