import { isUuid } from '@lockstep/base'
import type { EngineStore } from '../store/engine-store.ts'
import type { EraseVerdict } from '../store/verb-store.ts'
import { type Archive, archiveBatch } from './archive.ts'
import { ArchiveFailed } from './errors.ts'

export interface DeleteOptions {
  readonly tenant: string
  /** Only says what would come of it. @default false */
  readonly dryRun?: boolean
  /** The bulk operation that asks. */
  readonly operationId?: string
}

/** What became of it. `deleted`: it is gone, with so many facts and incidents; of a dry run: it would be. */
export type DeleteOutcome = Exclude<EraseVerdict, { kind: 'done-before' }>

export interface DeleteContext {
  readonly store: Pick<EngineStore, 'verbs' | 'instances' | 'incidents'>
  readonly archive: Archive | undefined
}

/** Facts that go in one transaction with their instance: more would hold others up. */
const AT_ONCE = 20_000

/** Deletes one ended instance before its time, as the sweep does when that is over: the archive has it first, holds are honoured, everything goes. */
export async function deleteInstance(
  { store, archive }: DeleteContext,
  instanceId: string,
  { tenant, dryRun = false, operationId }: DeleteOptions,
): Promise<DeleteOutcome> {
  if (!isUuid(instanceId)) return { kind: 'not-found' }
  const request = { tenant, instanceId, rows: AT_ONCE, operationId }
  if (dryRun || archive !== undefined) {
    const found = await store.verbs.erase({ ...request, look: true })
    if (dryRun) return settled(found)
    if (found.kind === 'deleted') await archived(store, archive!, { tenant, instanceId, rows: found.facts })
  }
  return settled(await store.verbs.erase({ ...request, look: false }))
}

/** Of a bulk operation: it was deleted by whoever began with it. */
const settled = (verdict: EraseVerdict): DeleteOutcome =>
  verdict.kind === 'done-before' ? { kind: 'deleted', facts: 0, incidents: 0 } : verdict

async function archived(
  store: DeleteContext['store'],
  archive: Archive,
  instance: { readonly tenant: string; readonly instanceId: string; readonly rows: number },
): Promise<void> {
  try {
    await archiveBatch(archive, store, [instance])
  } catch (error) {
    throw new ArchiveFailed({ instanceId: instance.instanceId }, { cause: error })
  }
}
