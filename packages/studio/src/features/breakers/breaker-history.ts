import type { Breaker } from './breakers-queries.ts'

export type BreakerChange = NonNullable<Breaker['history']>[number]

/** Who or what made it so: `by ana`, `the probe of node-2 failed`. Empty: not known. */
export function causeText(change: BreakerChange, before: BreakerChange | undefined): string {
  if (change.by !== null) return `by ${change.by}`
  const node = change.nodeName ?? change.nodeId
  if (node === null) return ''
  if (change.state === 'half-open') return `probe of ${node}`
  if (change.state === 'closed') return `the probe of ${node} went well`
  return before?.state === 'half-open' ? `the probe of ${node} failed` : `seen by ${node}`
}

/** What the strip says, for those who do not see it. Newest first, as it is read. */
export function historyText(history: readonly BreakerChange[]): string {
  const opened = history.filter(
    ({ state }, index) => state === 'open' && history[index + 1]?.state !== 'half-open',
  ).length
  const failed = history.filter(
    ({ state }, index) => state === 'open' && history[index + 1]?.state === 'half-open',
  ).length
  const changes = `${history.length} ${history.length === 1 ? 'change' : 'changes'}`
  return `Last ${changes}: opened ${times(opened)}${failed === 0 ? '' : `, ${failed} ${failed === 1 ? 'probe' : 'probes'} in vain`}`
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
