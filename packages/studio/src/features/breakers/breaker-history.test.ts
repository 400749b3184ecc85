import { describe, expect, it } from 'vitest'
import { type BreakerChange, causeText, historyText } from './breaker-history.ts'

const change = (state: BreakerChange['state'], more: Partial<BreakerChange> = {}): BreakerChange => ({
  ...{ state, at: '2026-11-17T10:00:00Z', reason: null, nodeId: null, nodeName: null, by: null },
  ...more,
})
const node = { nodeId: 'nod_1', nodeName: 'node-2' }

describe('who changed a breaker', () => {
  it.each([
    [change('open', { by: 'ana' }), undefined, 'by ana'],
    [change('open', node), change('closed'), 'seen by node-2'],
    [change('open', node), undefined, 'seen by node-2'],
    [change('open', node), change('half-open'), 'the probe of node-2 failed'],
    [change('half-open', node), change('open'), 'probe of node-2'],
    [change('closed', node), change('half-open'), 'the probe of node-2 went well'],
    [change('closed', { nodeId: 'nod_1' }), change('half-open'), 'the probe of nod_1 went well'],
    [change('open'), change('closed'), ''],
  ])('is said in words', (now, before, text) => {
    expect(causeText(now, before)).toBe(text)
  })
})

describe('the history of a breaker', () => {
  it('counts how often it opened, and probes that changed nothing', () => {
    expect(historyText([change('open')])).toBe('Last 1 change: opened once')
    const long = [change('closed'), change('half-open'), change('open'), change('half-open'), change('open')]
    expect(historyText(long)).toBe('Last 5 changes: opened once, 1 probe in vain')
    expect(historyText([change('open'), change('closed'), change('open')])).toBe('Last 3 changes: opened 2 times')
  })
})
