import type { FactRow, Failure } from '../../api/wire.ts'

const failures = new Set(['failed', 'retrying', 'refused', 'quarantined'])
const waits = new Set(['waiting', 'child-ended', 'locked'])
const operators = new Set([
  'cancelled',
  'assigned',
  'retried',
  'paused',
  'continued',
  'rewound',
  'migrated',
  'forked',
  'refused',
])

export const factGroups = [
  { name: 'all', label: 'All facts' },
  { name: 'failures', label: 'Failures' },
  { name: 'waits', label: 'Waits' },
  { name: 'steps', label: 'Ends of steps' },
  { name: 'operators', label: 'By operators' },
] as const

export type GroupName = (typeof factGroups)[number]['name']

export function fitsGroup({ kind, data }: FactRow, group: GroupName): boolean {
  switch (group) {
    case 'all':
      return true
    case 'failures':
      return failures.has(kind) || (kind === 'ended' && data.status === 'faulted')
    case 'waits':
      return waits.has(kind)
    case 'steps':
      return kind === 'completed' || kind === 'failed'
    case 'operators':
      return operators.has(kind)
  }
}

const tones: Readonly<Record<string, string>> = {
  completed: 'completed',
  waiting: 'suspended',
  retrying: 'retrying',
  failed: 'faulted',
  quarantined: 'faulted',
  cancelled: 'ended',
  undoing: 'compensating',
  paused: 'paused',
}

export function toneOf({ kind, data }: FactRow): string {
  if (kind === 'ended')
    return data.status === 'faulted' ? 'faulted' : data.status === 'completed' ? 'completed' : 'ended'
  return tones[kind] ?? 'queued'
}

const LONGEST = 160
const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** What a fact says, in one line. */
export function factText({ kind, data }: FactRow): string {
  const error = data.error as Failure | undefined
  switch (kind) {
    case 'started':
      return `input ${brief(data.input)}`
    case 'completed':
      return [
        data.outcome !== undefined && data.outcome !== 'done' ? `→ ${data.outcome}` : '',
        data.output === undefined ? '' : brief(data.output),
        data.assign === undefined ? '' : `set ${brief(data.assign)}`,
        data.result === undefined ? '' : `output ${brief(data.result)}`,
        data.by === undefined ? '' : `by ${data.by}`,
      ]
        .filter(Boolean)
        .join(' ')
    case 'waiting':
      return waitText(data.wait as Readonly<Record<string, unknown>>)
    case 'retrying':
      return `attempt ${data.attempt}: ${error?.message ?? ''}, again in ${Math.round(Number(data.delayMs))} ms`
    case 'failed':
      return `${error?.code ?? ''}: ${error?.message ?? ''}`
    case 'ended':
      return `${data.status}${error === undefined ? '' : ` · ${error.message}`}${isEmpty(data.output) ? '' : ` ${brief(data.output)}`}`
    default: {
      const { step: _, ...rest } = data
      return Object.keys(rest).length === 0 ? '' : brief(rest)
    }
  }
}

export function waitText(wait: Readonly<Record<string, unknown>> | undefined): string {
  if (wait === undefined) return ''
  if (wait.kind === 'timer')
    return wait.ms === undefined ? `timer until ${new Date(Number(wait.at)).toISOString()}` : `timer of ${wait.ms} ms`
  return [wait.kind, wait.name ?? wait.instanceId ?? wait.title ?? ''].filter(Boolean).join(' ')
}
