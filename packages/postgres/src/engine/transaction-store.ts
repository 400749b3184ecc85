import { type CommitBatch, Fenced, type StartItem, type TransactionStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import type { Statement } from '../db/statement.ts'
import { commit } from './commit.sql.ts'
import { commitColumns } from './commit-columns.ts'
import { foundDefinitions } from './published-only.sql.ts'

const FENCED = 'LS001'
/** The step may not be written any more: the user's statements were rolled back with it. */
const REFUSED = 'LS002'

export function postgresTransactions(db: Db): TransactionStore {
  const lane = db.lane('work')
  return {
    // The user's statements see the database, and are planned, as those of any other program; our tables come into view for the last statement only.
    transact: async (work, finish) => {
      let done: { readonly result: Awaited<ReturnType<typeof work>>; readonly batch: CommitBatch } | undefined
      try {
        const [answer] = await lane.transactionEndingWith(commit, async (tx) => {
          await tx.script(
            `set local search_path to "$user", public; set local enable_seqscan to on; set local plan_cache_mode to auto`,
          )
          const result = await work({ query: (text, values = []) => rawQuery(tx, text, values) })
          await tx.script(`set local search_path to ${db.schema}`)
          done = { result, batch: finish(result) }
          return commitColumns(done.batch, { strict: true })
        })
        return {
          result: done!.result,
          commit: { at: answer!.at, starts: [], checkpoints: [{ kind: 'written' }], woken: 0, repeated: false },
        }
      } catch (error) {
        if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId: done?.batch.nodeId ?? '' }, { cause: error })
        if (sqlstateOf(error) !== REFUSED || done === undefined) throw error
        return {
          result: done.result,
          commit: { at: 0, starts: [], checkpoints: [{ kind: 'lost' }], woken: 0, repeated: false },
        }
      }
    },
    startWithin: async (tx, nodeId, item) => {
      const [row] = await tx.query<{ version: number | null; existing: string | null }>(
        `select * from ${db.schema}.lockstep_start_within(
           $1, $2, $3, (${foundDefinitions('array[$3]', 'array[$4]', 'array[$10]', `${db.schema}.`)})[1], $5, $6, $7, $8, $9)`,
        startValues(nodeId, item),
      )
      if (row?.version != null) return { kind: 'started', version: row.version }
      return row?.existing == null ? { kind: 'unknown-definition' } : { kind: 'duplicate', instanceId: row.existing }
    },
  }
}

function startValues(nodeId: string, item: StartItem): readonly unknown[] {
  const { instanceId, tenant, definitionId, version, correlationId, dedupeKey, queue, started } = item
  return [
    nodeId,
    instanceId,
    tenant,
    definitionId,
    version ?? null,
    correlationId ?? null,
    dedupeKey ?? null,
    queue,
    started.data,
    item.onlyPublished ? (version ?? null) : null,
  ]
}

/** The user's own text: it cannot be one of our prepared statements, so each is sent as it is. */
async function rawQuery<Row>(tx: Queries, text: string, values: readonly unknown[]): Promise<Row[]> {
  return tx.many(
    { name: '', text, readOnly: false, bind: (given: readonly unknown[]) => given } as Statement<
      readonly unknown[],
      Row
    >,
    values,
  )
}
