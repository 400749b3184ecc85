import type { IncidentGroup } from '../../api/wire.ts'

type Cared = Pick<
  IncidentGroup,
  'acknowledgedAt' | 'acknowledgedBy' | 'assignee' | 'mutedUntil' | 'lastAt' | 'firstVersion' | 'lastVersion'
>

export const muteTimes = [
  { value: '1h', label: 'An hour' },
  { value: '8h', label: 'Eight hours' },
  { value: '1d', label: 'A day' },
  { value: '7d', label: 'A week' },
  { value: '30d', label: '30 days' },
] as const

/** One thing that was said of a group, and the time that belongs to it. */
export interface CareLine {
  readonly kind: 'assigned' | 'acknowledged' | 'muted'
  readonly text: string
  readonly at?: string
}

/** Who sees to it first: that is what others look for. */
export function careLines({
  acknowledgedAt,
  acknowledgedBy,
  assignee,
  mutedUntil,
  lastAt,
}: Cared): readonly CareLine[] {
  const by = acknowledgedBy === null ? '' : ` by ${acknowledgedBy}`
  const isAgain = acknowledgedAt !== null && Date.parse(lastAt) > Date.parse(acknowledgedAt)
  return [
    ...(assignee === null ? [] : [{ kind: 'assigned' as const, text: `Assigned to ${assignee}` }]),
    ...(acknowledgedAt === null
      ? []
      : [
          {
            ...{ kind: 'acknowledged' as const, at: acknowledgedAt },
            text: `Acknowledged${by}${isAgain ? ', failed again since' : ''}`,
          },
        ]),
    ...(mutedUntil === null ? [] : [{ kind: 'muted' as const, text: 'Muted, comes back', at: mutedUntil }]),
  ]
}

/** `version 3`, `versions 2 and 3`, `versions 2 to 5`: of the oldest and the newest that are open. */
export function versionsText({ firstVersion, lastVersion }: Pick<Cared, 'firstVersion' | 'lastVersion'>): string {
  const known = [firstVersion, lastVersion].filter((each) => each !== null).sort((a, b) => a - b)
  const [low, high] = [known[0], known.at(-1)]
  if (low === undefined || high === undefined) return ''
  if (low === high) return `version ${low}`
  return `versions ${low} ${high === low + 1 ? 'and' : 'to'} ${high}`
}

/** What waits to be seen to, and what is to be quiet. */
export function byMuted(groups: readonly IncidentGroup[]): {
  readonly heard: readonly IncidentGroup[]
  readonly muted: readonly IncidentGroup[]
} {
  return {
    heard: groups.filter(({ mutedUntil }) => mutedUntil === null),
    muted: groups.filter(({ mutedUntil }) => mutedUntil !== null),
  }
}
