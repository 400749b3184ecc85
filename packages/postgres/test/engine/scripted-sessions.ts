import type { CheckpointItem, CommitBatch, StartItem } from '@lockstep/engine/ports'
import pg from 'pg'
import { commit } from '../../src/engine/commit.sql.ts'
import { commitColumns } from '../../src/engine/commit-columns.ts'

/** A connection whose transactions the test opens and ends itself. */
export interface Session {
  readonly pid: number
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  begin(): Promise<void>
  commit(): Promise<void>
  /** The commit function, in whatever transaction is open. */
  commitBatch(batch: CommitBatch): Promise<{ lost: number[]; stimulated: number[]; started: string[] }>
  close(): Promise<void>
}

export async function openSession(url: string, schema: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set search_path to ${schema}`)
  const query = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, [...values])).rows
  const [own] = await query<{ pid: number }>('select pg_backend_pid() as pid')
  return {
    pid: own!.pid,
    query,
    begin: async () => void (await query('begin')),
    commit: async () => void (await query('commit')),
    commitBatch: async (batch) => {
      const [answer] = await query<{ lost: number[]; stimulated: number[]; started: string[] }>(
        commit.text,
        commit.bind(commitColumns(batch)),
      )
      return answer!
    },
    close: () => client.end(),
  }
}

export interface Traffic {
  /** Resolves when some session waits for a lock that `holder` has. */
  untilSomebodyWaitsFor(holder: Session): Promise<void>
}

/** Watches who waits for whom, over a session of its own. */
export function watchLocks(watcher: Session): Traffic {
  return {
    untilSomebodyWaitsFor: async (holder) => {
      for (;;) {
        const [row] = await watcher.query<{ waits: boolean }>(
          'select exists (select 1 from pg_stat_activity a where $1 = any (pg_blocking_pids(a.pid))) as waits',
          [holder.pid],
        )
        if (row!.waits) return
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

export const startBatch = (nodeId: string, flushNo: number, ...starts: StartItem[]): CommitBatch => ({
  nodeId,
  flushNo,
  starts,
  checkpoints: [],
})
export const checkpointBatch = (nodeId: string, flushNo: number, ...checkpoints: CheckpointItem[]): CommitBatch => ({
  nodeId,
  flushNo,
  starts: [],
  checkpoints,
})
