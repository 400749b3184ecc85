import { errorCode } from '@lockstep/base'
import type { CheckpointItem, CheckpointVerdict, CommitStore } from '../store/commit-store.ts'
import type { TransactionStore, UserTransaction } from '../store/transaction-store.ts'
import type { CommitPipeline } from './commit-pipeline.ts'

/** How often the user's code may run again because its transaction was surely rolled back. */
const MOST_ATTEMPTS = 5

/**
 * One transaction for the user's statements and the checkpoint. User code cannot be sent again, so an unknown outcome is
 * settled by an empty batch under the same number: either it finds the first one applied, or it takes the number away from it.
 */
export async function commitWithUser<M>(
  transactions: TransactionStore,
  commits: CommitStore,
  pipeline: CommitPipeline,
  nodeId: string,
  work: (tx: UserTransaction) => Promise<M>,
  item: (made: M) => CheckpointItem,
): Promise<M & { readonly verdict: CheckpointVerdict; readonly at: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const flushNo = pipeline.reserveFlushNo()
    let made: M | undefined
    try {
      const { result, commit } = await transactions.transact(
        async (tx) => {
          made = await work(tx)
          return made
        },
        (result) => ({ nodeId, flushNo, starts: [], checkpoints: [item(result)] }),
      )
      return { ...result, verdict: commit.checkpoints[0]!, at: commit.at }
    } catch (error) {
      if (errorCode(error) !== 'COMMIT_UNKNOWN' || made === undefined) throw error
      const settled = await settle(commits, nodeId, flushNo)
      if (settled.repeated) return { ...made, verdict: { kind: 'written' }, at: settled.at }
      if (attempt >= MOST_ATTEMPTS) throw error
    }
  }
}

async function settle(commits: CommitStore, nodeId: string, flushNo: number) {
  for (;;) {
    try {
      return await commits.commit({ nodeId, flushNo, starts: [], checkpoints: [] })
    } catch (error) {
      if (errorCode(error) !== 'COMMIT_UNKNOWN') throw error
    }
  }
}
