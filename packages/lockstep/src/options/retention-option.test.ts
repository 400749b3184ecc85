import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'
import { readEnvironment } from './read-environment.ts'

const keep = (LOCKSTEP_RETENTION: string) => resolveNodeOptions(readEnvironment({ LOCKSTEP_RETENTION })).retention

describe('LOCKSTEP_RETENTION', () => {
  it('says how long what ended stays, status by status', () => {
    expect(keep('completed=30d, faulted=90d')).toEqual({ completed: '30d', faulted: '90d' })
    expect(keep('cancelled=forever')).toEqual({ cancelled: 'forever' })
    expect(keep('metrics=90d')).toEqual({ metrics: '90d' })
    expect(keep('audit=30d')).toEqual({ audit: '30d' })
    expect(() => keep('audit=29d')).toThrow(/"retention audit" must be at least 30d, or forever/)
    expect(resolveNodeOptions({ retention: { terminated: 60_000 } }).retention).toEqual({ terminated: 60_000 })
  })

  it('is empty when nobody says anything', () => {
    expect([keep(''), resolveNodeOptions({}).retention]).toEqual([{}, {}])
  })

  it.each([
    ['30d', /pairs of a status and a time.*not "30d"/],
    ['done=30d', /statuses among completed, faulted.*not "done"/],
    ['completed=soon', /"retention completed" must be a duration such as 30d, or forever, not "soon"/],
    ['completed=1d,completed=2d', /each status once/],
    ['completed=', /"retention completed" must be a duration/],
    ['completed=-1d', /"retention completed" must be a duration/],
  ])('%s is refused with the fix', (text, message) => {
    expect(() => keep(text)).toThrow(message)
  })
})
