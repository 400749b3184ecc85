import type { QueryResult } from 'pg'

/** A statement ready for the wire. */
export interface Request {
  /** For messages; the prepared name is in `prepareAs`. */
  readonly name: string
  readonly text: string
  readonly values?: (string | Uint8Array | null)[]
  readonly prepareAs?: string
}

export interface Reply {
  readonly rows: unknown[]
  readonly touched: number
  /** What the server says it did: `INSERT`, `COMMIT`, `ROLLBACK`. */
  readonly command: string
}

/** Of the driver's own answer: of a script, that of its last statement. */
export function replyOf(result: QueryResult | QueryResult[] | undefined): Reply {
  const last = Array.isArray(result) ? result.at(-1) : result
  return { rows: last?.rows ?? [], touched: last?.rowCount ?? 0, command: last?.command ?? '' }
}
