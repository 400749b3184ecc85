import { call } from '../../api/client.ts'
import type { Page, Schedule } from '../../api/wire.ts'

const PAGE = 200
const MOST_PAGES = 25

export interface Told {
  readonly done: readonly string[]
  /** What became of the others, by the words of the server. */
  readonly failed: Readonly<Record<string, number>>
}

/** One after the other: a schedule that cannot be changed keeps none of the others from it. */
export async function changeMany(ids: readonly string[], verb: 'pause' | 'resume'): Promise<Told> {
  const done: string[] = []
  const failed: Record<string, number> = {}
  for (const id of ids) {
    try {
      await call('POST', `/schedules/${encodeURIComponent(id)}/${verb}`, { body: {} })
      done.push(id)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      failed[why] = (failed[why] ?? 0) + 1
    }
  }
  return { done, failed }
}

/** All that are active, or all that are paused; `isWhole`: there are no more than were read. */
export async function allSchedules(
  paused: boolean,
  signal?: AbortSignal,
): Promise<{
  readonly items: readonly Schedule[]
  readonly isWhole: boolean
}> {
  const items: Schedule[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const sent = { query: { paused, cursor, limit: PAGE }, ...(signal === undefined ? {} : { signal }) }
    const found = await call<Page<Schedule>>('GET', '/schedules', sent)
    items.push(...found.items)
    if (found.page.next === null) return { items, isWhole: true }
    cursor = found.page.next
  }
  return { items, isWhole: false }
}

export function toldText({ done, failed }: Told, verb: 'pause' | 'resume'): string {
  const head = `${count(done.length)} ${verb === 'pause' ? 'paused' : 'active again'}`
  const rest = Object.entries(failed).map(([why, number]) => `${count(number)} not: ${why}`)
  return [head, ...rest].join('. ')
}

export const count = (number: number): string =>
  `${number.toLocaleString('en')} ${number === 1 ? 'schedule' : 'schedules'}`
