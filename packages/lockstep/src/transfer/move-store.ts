/**
 * Brings a whole store into an empty PostgreSQL: every table, row by row, in one transaction, so that either everything has moved or nothing.
 * Instances go on as they stood: their timers, bookmarks and journals are rows like all others. Positions in the order of commits are
 * made of transaction numbers; the target's are moved on past those of the source first, so that what comes later stays later.
 */
import type { Db, Queries } from '@lockstep/postgres'
import { MoveMismatch, MoveTargetNotEmpty } from './errors.ts'
import { orderTables } from './order-tables.ts'
import * as sql from './transfer.sql.ts'

export interface MoveReport {
  readonly tables: readonly { readonly name: string; readonly rows: number }[]
}

export type MoveProgress = (text: string) => void

const BATCH_BYTES = 4_000_000
const BATCHES = [1, 20, 500] as const
const BURN_AT_ONCE = 50_000

/** What would be moved. Changes nothing. */
export async function countRows(source: Db): Promise<MoveReport> {
  const tables = await source.many(sql.listTables, { schema: source.schema })
  const counts = await source.transaction(async (tx) => {
    await tx.script(sql.PLAIN_TEXT)
    return inTurn(tables, async (table) => ({
      name: table.name,
      rows: Number((await tx.one(sql.checksum(table))).count),
    }))
  })
  return { tables: counts.filter(({ rows }) => rows > 0) }
}

/** @throws MoveTargetNotEmpty */
export async function requireEmpty(target: Db): Promise<void> {
  const tables = await target.many(sql.listTables, { schema: target.schema })
  const found = await inTurn(tables, async (table) =>
    (await target.one(sql.hasRows(table))).found ? [table.name] : [],
  )
  if (found.flat().length > 0) throw new MoveTargetNotEmpty({ tables: found.flat() })
}

/** Both have the same migrations; nobody else uses either. @throws MoveTargetNotEmpty, MoveMismatch */
export async function moveStore(source: Db, target: Db, progress: MoveProgress): Promise<MoveReport> {
  await requireEmpty(target)
  const tables = orderTables(await source.many(sql.listTables, { schema: source.schema }))
  const sequences = await source.many(sql.listSequences, { schema: source.schema })
  await passNumbers(source, target, progress)
  const moved = await source.transaction(
    (from) =>
      target.transaction(
        async (to) => {
          await from.script(sql.PLAIN_TEXT)
          await to.script(sql.PLAIN_TEXT)
          for (const table of tables) await to.script(sql.triggers(table, 'disable'))
          const rows = await inTurn(tables, (table) => copyTable(from, to, table, progress))
          for (const table of tables) await to.script(sql.triggers(table, 'enable'))
          for (const sequence of sequences) await to.run(sql.advanceSequence, sequence)
          await to.script(sql.BURY_ALL)
          return tables.map(({ name }, at) => ({ name, rows: rows[at]! }))
        },
        { attempts: 1, statementTimeoutMs: 0 },
      ),
    { attempts: 1, statementTimeoutMs: 0, isolation: 'repeatable read' },
  )
  await target.script(tables.map(({ quoted }) => `analyze ${quoted}`).join(';\n'))
  return { tables: moved.filter(({ rows }) => rows > 0) }
}

async function copyTable(from: Queries, to: Queries, table: sql.TableRow, progress: MoveProgress): Promise<number> {
  let rows = 0
  let size = BATCHES[1] as number
  await from.script(sql.openCursor(table))
  for (;;) {
    const batch = await from.many(sql.fetchRows(table, size))
    if (batch.length === 0) break
    const text = `[${batch.map(({ row }) => row).join(',')}]`
    await to.run(sql.insertRows(table), { rows: text })
    rows += batch.length
    size = BATCHES.findLast((count) => (count * text.length) / batch.length <= BATCH_BYTES) ?? 1
    progress(`${table.name}: ${rows} rows`)
  }
  await from.script(sql.CLOSE_CURSOR)
  const [there, here] = [await from.one(sql.checksum(table)), await to.one(sql.checksum(table))]
  if (there.count !== here.count || there.sum !== here.sum)
    throw new MoveMismatch({ table: table.name, from: told(there), to: told(here) })
  return rows
}

const told = ({ count, sum }: { count: string; sum: string }): string => `${count} rows, checksum ${sum}`

async function passNumbers(source: Db, target: Db, progress: MoveProgress): Promise<void> {
  const wanted = BigInt((await source.one(sql.transactionNumber)).xid)
  for (;;) {
    const missing = wanted - BigInt((await target.one(sql.transactionNumber)).xid)
    if (missing <= 0n) return
    progress(`passing ${missing} transaction numbers`)
    const count = Number(missing < BigInt(BURN_AT_ONCE) ? missing : BURN_AT_ONCE)
    await target.transaction((tx) => tx.script(sql.burnNumbers(count)), { attempts: 1, statementTimeoutMs: 0 })
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
