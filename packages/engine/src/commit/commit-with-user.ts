import { type Clock, errorCode, isRetryable, sleep } from '@lockstep/base'
import type { CheckpointItem, CheckpointVerdict } from '../store/commit-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { CommitPipeline } from './commit-pipeline.ts'

export interface UserCommit {
  readonly store: Pick<EngineStore, 'transactions' | 'commits' | 'instances'>
  readonly pipeline: CommitPipeline
  readonly clock: Clock
  readonly nodeId: string
}

type Outcome<M> = M & { readonly verdict: CheckpointVerdict; readonly at: number }

const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 1_000

/**
 * One transaction for the user's statements and the checkpoint. What was surely rolled back is run again. User code cannot be
 * sent again while its outcome is unknown, so its number is taken away from it first: then the journal tells whether it was in.
 */
export async function commitWithUser<M>(
  context: UserCommit,
  work: (tx: UserTransaction) => Promise<M>,
  item: (made: M) => CheckpointItem,
): Promise<Outcome<M>> {
  for (let attempt = 0; ; attempt += 1) {
    const flushNo = context.pipeline.reserveFlushNo()
    let sent: { readonly made: M; readonly item: CheckpointItem } | undefined
    let failed: { readonly error: unknown } | undefined
    const run = async (tx: UserTransaction): Promise<M> => {
      try {
        return await work(tx)
      } catch (error) {
        failed = { error } // the user's own, or the connection's under it
        throw error
      }
    }
    try {
      const { result, commit } = await context.store.transactions.transact(run, (made) => {
        sent = { made, item: item(made) }
        return { nodeId: context.nodeId, flushNo, starts: [], checkpoints: [sent.item] }
      })
      return { ...result, verdict: commit.checkpoints[0]!, at: commit.at }
    } catch (error) {
      if (errorCode(error) === 'COMMIT_UNKNOWN' && sent !== undefined) {
        const applied = await settle(context, flushNo, sent.item)
        if (applied !== undefined) return { ...sent.made, verdict: { kind: 'written' }, at: applied }
      } else if (!isRetryable(error) && errorCode(error) !== 'COMMIT_UNKNOWN') throw failed?.error ?? error
    }
    await sleep(context.clock, backoff(attempt))
  }
}

/** When the transaction was applied, or `undefined` when it never will be. Asks until the store has answered. */
async function settle(
  { store, nodeId, clock }: UserCommit,
  flushNo: number,
  item: CheckpointItem,
): Promise<number | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await store.commits.commit({ nodeId, flushNo, starts: [], checkpoints: [] })
      const [fact] = await store.instances.journal(item.tenant, item.instanceId, item.seq - 1, 1)
      return fact?.nodeId === nodeId && fact.claimNo === item.claimNo ? fact.at : undefined
    } catch (error) {
      if (errorCode(error) !== 'COMMIT_UNKNOWN' && !isRetryable(error)) throw error
      await sleep(clock, backoff(attempt))
    }
  }
}

const backoff = (attempt: number): number => Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt)
