import { call } from '../../api/client.ts'
import type { Instance, Page } from '../../api/wire.ts'
import { csvOf } from '../../ui/csv.ts'
import { columnsOf, columnValue } from './columns.ts'

const PAGE = 200
export const MOST_EXPORTED = 10_000

/** All that fit a filter, newest first, up to a bound. */
export async function readAll(filter: Readonly<Record<string, string>>): Promise<{
  readonly rows: readonly Instance[]
  readonly isWhole: boolean
}> {
  const rows: Instance[] = []
  let cursor: string | undefined
  for (;;) {
    const query = { ...filter, cursor, limit: PAGE }
    const { items, page } = await call<Page<Instance>>('GET', '/workflow-instances', { query })
    rows.push(...items)
    cursor = page.next ?? undefined
    if (cursor === undefined || rows.length >= MOST_EXPORTED) return { rows, isWhole: cursor === undefined }
  }
}

const HEAD = ['id', 'status', 'definitionId', 'version', 'correlationId', 'createdAt', 'finishedAt', 'error'] as const

/** The usual columns, and those that were chosen. */
export function instancesCsv(rows: readonly Instance[], columns: string | undefined): string {
  const more = columnsOf(columns).filter((column) => !HEAD.includes(column as never))
  return csvOf(
    [...HEAD, ...more],
    rows.map((row) => [
      ...[row.id, row.status, row.definitionId, row.version, row.correlationId, row.createdAt, row.finishedAt],
      row.error?.message,
      ...more.map((column) => columnValue(row, column)),
    ]),
  )
}

export const instancesLines = (rows: readonly Instance[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
