import { encodeParameter } from '../values/encode.ts'
import type { Connection } from './connection.ts'

/** What every session of a lane is set to before its first use. */
export interface SessionOptions {
  readonly schema: string
  /** Longest run of one statement. 0: no limit. */
  readonly statementTimeoutMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionMs: number
  readonly settings: Readonly<Record<string, string>>
}

/** The server acts first; our own limit is for a server that no longer does. */
export const CLIENT_MARGIN_MS = 1_000

/** Dates, intervals and bytes in the one form that `values/` reads. */
const readable = {
  client_encoding: 'UTF8',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'iso_8601',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
}

/** Ours are short and many. One that is priced too high, since nothing is known of a young table, would be compiled first: half a second of a core. */
const short = { jit: 'off' }

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function sessionSettings(options: Pick<SessionOptions, 'schema' | 'settings'>): Record<string, string> {
  return { ...readable, ...short, search_path: quoteIdentifier(options.schema), ...options.settings }
}

/** Limits that only a server keeps: PGlite has no signals to interrupt a statement with. */
export function serverLimits(options: SessionOptions): Record<string, string> {
  return {
    statement_timeout: String(options.statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs),
    // Above our own watchdog, for a process that is stopped and cannot watch.
    idle_in_transaction_session_timeout: String(options.idleInTransactionMs + CLIENT_MARGIN_MS),
  }
}

export async function applySettings(connection: Connection, settings: Readonly<Record<string, string>>): Promise<void> {
  await connection.send({
    name: 'session_settings',
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting (name, value)',
    values: [encodeParameter(Object.keys(settings)), encodeParameter(Object.values(settings))],
  })
}
