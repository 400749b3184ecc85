import { describe, expect, it } from 'vitest'
import { scheduleIdOf, triggerProblems, triggerSchedules } from './graph-triggers.ts'

describe('triggers of graphs', () => {
  it('are found among the activities, and nothing else is', () => {
    const activities = [
      { id: 'nightly', type: 'cron', inputs: { cron: '0 2 * * *', zone: 'UTC', overlap: 'queue', input: { n: 1 } } },
      { id: 'often', type: 'interval', inputs: { interval: '5m', anchor: 0 } },
      { id: 'x', type: 'log', inputs: { message: 'cron' } },
      { type: 'cron' },
      null,
      7,
    ]
    expect(triggerSchedules('orders', { activities }).map(({ document: { id: _, ...rest } }) => rest)).toEqual([
      { definitionId: 'orders', trigger: { cron: '0 2 * * *', zone: 'UTC' }, overlap: 'queue', input: { n: 1 } },
      { definitionId: 'orders', trigger: { interval: '5m', anchor: 0 } },
    ])
    for (const bad of [null, 7, [], {}, { activities: {} }]) expect(triggerSchedules('orders', bad)).toEqual([])
  })

  it('have ids that are slugs, and differ where activities differ only in what a slug leaves out', () => {
    const ids = [
      scheduleIdOf('order', 'eachDay'),
      scheduleIdOf('order', 'each-day'),
      scheduleIdOf('o', 'x'.repeat(300)),
    ]
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    expect(new Set(ids).size).toBe(3)
    expect(ids.every((id) => id.length <= 100)).toBe(true)
  })

  it('are judged where they stand', () => {
    const activities = [
      { id: 'note', type: 'log' },
      { id: 'bad', type: 'cron', inputs: { cron: '61 * * * *', zone: 'Mars/Olympus' } },
      { id: 'late', type: 'cron', inputs: { cron: { $expr: 'input.cron' } } },
    ]
    expect(triggerProblems({ activities }).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/activities/1/inputs/cron', 'INVALID_CRON'],
      ['/activities/1/inputs/zone', 'UNKNOWN_ZONE'],
      ['/activities/2/inputs/cron', 'WRONG_TYPE'],
    ])
  })
})
