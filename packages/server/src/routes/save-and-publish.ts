import type { Json } from '@lockstep/base'
import {
  DefinitionInvalid,
  DefinitionNotFound,
  type Definitions,
  type PublishedVersion,
  type SavedDraft,
} from '@lockstep/engine'

export type SavedAndPublished = SavedDraft & PublishedVersion & { readonly created: boolean }

/**
 * Refuses a document with errors before anything is written. Saving and publishing are two commits: whoever comes between
 * them makes the second fail with `DRAFT_CHANGED`, and repeating the call is harmless.
 */
export async function saveAndPublish(
  definitions: Definitions,
  tenant: string,
  id: string,
  document: Json,
  revision: number | undefined,
  by?: string,
): Promise<SavedAndPublished> {
  const errors = definitions.problems(document).filter((problem) => problem.severity === 'error')
  if (errors.length > 0) throw new DefinitionInvalid({ definitionId: id, problems: errors })
  const saved = await saveOrCreate(definitions, tenant, id, document, revision, by)
  return { ...saved, ...(await definitions.publish(tenant, id, saved.revision)) }
}

async function saveOrCreate(
  definitions: Definitions,
  tenant: string,
  id: string,
  document: Json,
  revision: number | undefined,
  by?: string,
) {
  try {
    return { ...(await definitions.saveDraft(tenant, id, document, revision, by)), created: false }
  } catch (error) {
    // With a revision the caller has seen a draft, so that its absence is news to them.
    if (!DefinitionNotFound.is(error) || revision !== undefined) throw error
    return { ...(await definitions.create(tenant, document, by)), created: true }
  }
}
