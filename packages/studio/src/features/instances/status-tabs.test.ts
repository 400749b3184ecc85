import { describe, expect, it } from 'vitest'
import { statuses } from './filter-terms.ts'
import { isChosen, statusOf, statusTabs, tabCount } from './status-tabs.ts'

const tab = (name: string) => statusTabs.find((each) => each.name === name)!
const counted = { statuses: { completed: 1_204, queued: 2, running: 3, faulted: 1 }, exact: true }

describe('tabs of statuses', () => {
  it('have every status once', () => {
    expect(statusTabs.flatMap((each) => each.statuses).sort()).toEqual([...statuses].sort())
  })

  it('count what is in them', () => {
    expect(['All', 'Under way', 'Waiting', 'Completed'].map((name) => tabCount(tab(name), counted))).toEqual([
      ...['1,210', '5', '0', '1,204'],
    ])
    expect(tabCount(tab('All'), undefined)).toBe('')
  })

  it('say when there may be more', () => {
    const some = { statuses: { completed: 9_990, faulted: 10 }, exact: false }
    expect(['All', 'Faulted', 'Waiting'].map((name) => tabCount(tab(name), some))).toEqual(['10k+', '10+', '0+'])
  })

  it('are chosen by the address, in whatever order it has them', () => {
    expect(statusOf(tab('All'))).toBeUndefined()
    expect(isChosen(tab('All'), undefined)).toBe(true)
    expect(isChosen(tab('Faulted'), 'quarantined,faulted')).toBe(true)
    expect(isChosen(tab('Faulted'), 'faulted')).toBe(false)
    expect(isChosen(tab('All'), 'faulted')).toBe(false)
  })
})
