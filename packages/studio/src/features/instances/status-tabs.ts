import type { InstanceStatus } from '../../api/wire.ts'

export interface StatusTab {
  readonly name: string
  /** As they stand in the address; none: all of them. */
  readonly statuses: readonly InstanceStatus[]
}

export interface Counted {
  readonly statuses: Readonly<Record<string, number>>
  /** `false`: only the newest were counted. */
  readonly exact: boolean
}

/** Every status is in one of them, so that their counts add up. */
export const statusTabs: readonly StatusTab[] = [
  { name: 'All', statuses: [] },
  { name: 'Under way', statuses: ['queued', 'running', 'compensating'] },
  { name: 'Waiting', statuses: ['suspended', 'paused'] },
  { name: 'Faulted', statuses: ['faulted', 'quarantined'] },
  { name: 'Completed', statuses: ['completed'] },
  { name: 'Cancelled', statuses: ['cancelled', 'terminated'] },
]

/** `undefined`: it filters nothing. */
export const statusOf = ({ statuses }: StatusTab): string | undefined =>
  statuses.length === 0 ? undefined : statuses.join(',')

export function isChosen(tab: StatusTab, status: string | undefined): boolean {
  const said = new Set((status ?? '').split(',').filter((each) => each !== ''))
  return said.size === tab.statuses.length && tab.statuses.every((each) => said.has(each))
}

/** `1,204`, `10k+`. Of what was not counted to its end the sign says so. */
export function tabCount({ statuses }: StatusTab, counted: Counted | undefined): string {
  if (counted === undefined) return ''
  const among = statuses.length === 0 ? Object.keys(counted.statuses) : statuses
  const count = among.reduce((sum, status) => sum + (counted.statuses[status] ?? 0), 0)
  if (counted.exact) return count.toLocaleString('en')
  return count < 10_000 ? `${count.toLocaleString('en')}+` : `${Math.floor(count / 1_000)}k+`
}
