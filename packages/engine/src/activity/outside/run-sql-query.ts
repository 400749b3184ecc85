/**
 * On the engine's own database the statement commits with the step, exactly once. It runs with the rights of the engine's role, which no
 * setting of a session can take away from it (`set_config` and its like undo them), so an operator has to allow it. On a connection of its own it is an effect like any
 * other: it may run again when the node dies between its commit and ours.
 */
import { errorCode, isJsonObject, type JsonObject } from '@lockstep/base'
import { OutboundNotConfigured, SqlRefused, SqlUnavailable, TooManyRows } from '../../outbound/errors.ts'
import { isDefaultTenant } from '../../outbound/outbound-tenants.ts'
import type { SqlConnections, SqlRow } from '../../outbound/sql-connections.ts'
import type { UserTransaction } from '../../store/transaction-store.ts'
import type { ActivityContext, CompletedResult, TransactionContext } from '../activity-handler.ts'
import { badInput, done, notConfigured } from './outside-step.ts'
import { DEFAULT_MAX_ROWS } from './sql-query.ts'
import { ALLOWED_VERBS, statementKind, withoutEnd } from './sql-statement.ts'
import { parametersOf, rowsToJson } from './sql-values.ts'

interface Asked {
  readonly query: string
  readonly values: readonly unknown[]
  readonly maxRows: number
}

export async function runOwnQuery(
  isAllowed: boolean,
  inputs: JsonObject,
  { tenant, tx }: TransactionContext,
): Promise<CompletedResult> {
  if (!isAllowed)
    throw new OutboundNotConfigured({
      what: "way for steps to the engine's own database",
      fix: 'name a "connection", or let an operator set LOCKSTEP_SQL_OWN_DATABASE=on, which gives authors of workflows all rights of the engine there',
    })
  if (!isDefaultTenant(tenant))
    throw new OutboundNotConfigured({
      what: "way for steps of another tenant to the engine's own database",
      fix: 'name a "connection": the data of all tenants is there',
    })
  const asked = askedOf(inputs)
  try {
    return answer(await bounded(tx, asked))
  } catch (error) {
    throw refusalOf(error) ?? error
  }
}

/** `connections` are those that the tenant may use. */
export async function runOuterQuery(
  connections: SqlConnections | undefined,
  inputs: JsonObject,
  { tenant, signal }: ActivityContext,
): Promise<CompletedResult> {
  const connection = String(inputs.connection)
  if (connections === undefined || !connections.names.includes(connection)) {
    const known = connections === undefined ? '' : ` (known: ${connections.names.join(', ') || 'none'})`
    throw notConfigured(tenant, `connection "${connection}"`, `set it in connections${known}`)
  }
  const asked = askedOf(inputs)
  const result = await connections.run(connection, (tx) => bounded(tx, asked), signal)
  switch (result.status) {
    case 'answered':
      return answer(result.value)
    case 'refused':
      throw new SqlRefused({ sqlstate: result.sqlstate, reason: result.reason, connection })
    case 'unavailable':
      throw new SqlUnavailable({ connection, reason: result.reason, unclear: result.unclear })
  }
}

function askedOf({ query, parameters, maxRows }: JsonObject): Asked {
  const text = String(query)
  if (statementKind(text) === 'refused')
    throw badInput(`input "query" must be one statement that begins with ${ALLOWED_VERBS}`)
  return {
    query: withoutEnd(text),
    values: parametersOf(parameters),
    maxRows: typeof maxRows === 'number' ? maxRows : DEFAULT_MAX_ROWS,
  }
}

/** Throws before anything is committed. */
async function bounded(tx: UserTransaction, asked: Asked): Promise<readonly SqlRow[]> {
  const { query, values, maxRows } = asked
  const rows = statementKind(query) === 'writing' ? await tx.query<SqlRow>(query, values) : await read(tx, asked)
  if (rows.length > maxRows) throw new TooManyRows({ limit: maxRows })
  return rows
}

/** Through a cursor: a query without an end must not fill the memory before it is refused. */
async function read(tx: UserTransaction, { query, values, maxRows }: Asked): Promise<readonly SqlRow[]> {
  await tx.query(`declare lockstep_query no scroll cursor for ${query}`, values)
  const rows = await tx.query<SqlRow>(`fetch forward ${maxRows + 1} from lockstep_query`)
  await tx.query('close lockstep_query')
  return rows
}

function answer(rows: readonly SqlRow[]): CompletedResult {
  return done({ rows: rowsToJson(rows), count: rows.length })
}

/** What the store says of a statement, as a failure of this activity. Whether it may be repeated stays the store's decision. */
function refusalOf(error: unknown): Error | undefined {
  if (errorCode(error) !== 'DATABASE_REFUSED') return undefined
  const { details } = error as { readonly details?: unknown }
  if (!isJsonObject(details)) return undefined
  return new SqlRefused({ sqlstate: String(details.sqlstate), reason: String(details.message) }, { cause: error })
}
