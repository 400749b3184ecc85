import type { Preview } from '../../api/wire.ts'

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export interface Lane {
  /** Times within the day: a share of it, and whether the schedule fires then. */
  readonly marks: readonly { readonly at: string; readonly share: number; readonly fires: boolean }[]
  /** Where the rest of the day is as full as what is drawn, a share of it: not every time was read. */
  readonly bandFrom: number | undefined
}

/** The times of the next 24 h. `read`: how many were asked for. */
export function laneOf(items: Preview['items'], from: number, read: number): Lane {
  const within = items.filter(({ at }) => Date.parse(at) < from + DAY_MS)
  const share = (at: string): number => (Date.parse(at) - from) / DAY_MS
  const marks = within
    .filter(({ at }) => Date.parse(at) >= from)
    .map(({ at, status }) => ({ at, share: share(at), fires: status === 'fires' }))
  const last = items.at(-1)
  const isCut = items.length >= read && last !== undefined && within.length === items.length
  return { marks, bandFrom: isCut ? share(last.at) : undefined }
}

/** Every third hour of the day that begins at `from`, with what a clock shows then. */
export function hoursOf(from: number, write: (at: number) => string): readonly { share: number; text: string }[] {
  const first = Math.ceil(from / HOUR_MS) * HOUR_MS
  return Array.from({ length: 24 }, (_, index) => first + index * HOUR_MS)
    .filter((at) => new Date(at).getHours() % 3 === 0)
    .map((at) => ({ share: (at - from) / DAY_MS, text: write(at) }))
    .filter(({ share }) => share < 0.97)
}
