import type { DeleteOutcome } from '../../retention/delete-instance.ts'
import type { BulkOperation } from '../../store/operation-store.ts'
import type { MigrateOptions } from '../migrate.ts'
import type { MigrateOutcome, RetryOutcome } from '../verb-outcome.ts'
import type { Verbs } from '../verbs.ts'

/** Does what an operation asks for with one of its instances, and says what came of it. */
export type ApplyVerb = (
  operation: Pick<BulkOperation, 'tenant' | 'id' | 'verb' | 'options'>,
  instanceId: string,
) => Promise<{ readonly outcome: string; readonly detail: string | undefined }>

export type RemoveInstance = (
  instanceId: string,
  options: { readonly tenant: string; readonly operationId: string },
) => Promise<DeleteOutcome>

export function applyVerb(verbs: Verbs, remove: RemoveInstance): ApplyVerb {
  return async ({ tenant, id: operationId, verb, options }, instanceId) => {
    const asked = { ...(options as object), tenant, operationId }
    switch (verb) {
      case 'terminate':
        return told(await verbs.terminate(instanceId, asked))
      case 'pause':
        return told(await verbs.pause(instanceId, asked))
      case 'continue':
        return told(await verbs.continue(instanceId, asked))
      case 'retry':
        return told(await verbs.retry(instanceId, asked))
      case 'migrate':
        return told(await verbs.migrate(instanceId, asked as unknown as MigrateOptions))
      case 'delete': {
        const result = await remove(instanceId, { tenant, operationId })
        return { outcome: result.kind, detail: obstacleOf(result) }
      }
      default:
        return told(await verbs.cancel(instanceId, asked))
    }
  }
}

function obstacleOf(result: DeleteOutcome): string | undefined {
  if (result.kind === 'wrong-state') return result.status
  if (result.kind === 'parent-lives') return result.parentId
  return result.kind === 'held' ? (result.reason ?? result.subject) : undefined
}

function told(result: RetryOutcome | MigrateOutcome): { outcome: string; detail: string | undefined } {
  const { outcome } = result
  if (outcome === 'wrong-state') return { outcome, detail: result.status }
  if (outcome === 'parent-told') return { outcome, detail: result.parentId }
  if (outcome === 'unknown-step') return { outcome, detail: result.step }
  if (outcome !== 'incompatible') return { outcome, detail: undefined }
  return {
    outcome,
    detail: result.problems
      .map((problem) => problem.text)
      .join('; ')
      .slice(0, 2_000),
  }
}
