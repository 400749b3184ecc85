import type { Instance, Page } from '../../api/wire.ts'

export interface Figures {
  readonly inFlight: string
  readonly perMinute: string
  readonly faulted: string
  readonly p95: number | undefined
  /** Per minute, oldest first. */
  readonly completed: readonly number[]
  readonly faults: readonly number[]
}

const MINUTE = 60_000

/** Figures of the window from one page of what began in it. A full page says "at least". */
export function figuresOf(
  recent: Page<Instance> | undefined,
  inFlight: Page<Instance> | undefined,
  now: number,
  minutes: number,
): Figures {
  const items = recent?.items ?? []
  const ended = items.filter(({ finishedAt }) => finishedAt !== null)
  const completed = ended.filter(({ status }) => status === 'completed')
  const faulted = ended.filter(({ status }) => status === 'faulted')
  const more = recent?.page.next !== null && recent !== undefined
  // A full page reaches less far back than the window.
  const oldest = items.at(-1)
  const covered = more && oldest !== undefined ? Math.max(1, (now - Date.parse(oldest.createdAt)) / MINUTE) : minutes
  const took = completed
    .map(({ createdAt, finishedAt }) => Date.parse(finishedAt!) - Date.parse(createdAt))
    .sort((a, b) => a - b)
  return {
    inFlight:
      inFlight === undefined
        ? '–'
        : inFlight.page.next === null
          ? String(inFlight.items.length)
          : `${inFlight.items.length}+`,
    perMinute:
      recent === undefined ? '–' : (completed.length / covered).toFixed(completed.length / covered < 10 ? 1 : 0),
    faulted: recent === undefined ? '–' : `${faulted.length}${more ? '+' : ''}`,
    p95: took.length === 0 ? undefined : took[Math.min(took.length - 1, Math.floor(took.length * 0.95))],
    completed: perMinute(completed, now, minutes),
    faults: perMinute(faulted, now, minutes),
  }
}

function perMinute(ended: readonly Instance[], now: number, minutes: number): readonly number[] {
  const counts = new Array<number>(minutes).fill(0)
  for (const { finishedAt } of ended) {
    const ago = Math.floor((now - Date.parse(finishedAt!)) / MINUTE)
    if (ago >= 0 && ago < minutes) counts[minutes - 1 - ago]! += 1
  }
  return counts
}
