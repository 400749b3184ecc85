import { isJsonObject, type Json } from '@lockstep/base'
import {
  DefinitionExists,
  DefinitionNotFound,
  type Definitions,
  DraftChanged,
  type PublishedVersion,
  type SavedDraft,
} from '@lockstep/engine'
import { inTurn } from './in-turn.ts'

export type SavedAndPublished = SavedDraft & PublishedVersion & { readonly created: boolean }

export interface SaveAndPublish {
  readonly tenant: string
  readonly id: string
  readonly document: Json
  readonly by: string | undefined
  /** `new`: there is none yet. `there`: there is one. A revision: it is the one that the caller has seen. `any`: the last who writes is right. */
  readonly when: 'new' | 'there' | 'any' | number
}

/** Whoever writes without a condition is not refused for others who do the same, on other nodes: as often it is done again. */
const MOST_TRIES = 10

/**
 * Refuses what cannot be published before anything is written. Saving and publishing are two commits: whoever comes between them makes the second
 * fail with `DRAFT_CHANGED`, and repeating the call is harmless.
 */
export const saveAndPublish = (definitions: Definitions, wish: SaveAndPublish): Promise<SavedAndPublished> =>
  inTurn(definitions, `${wish.tenant} ${wish.id}`, () => now(definitions, wish))

async function now(definitions: Definitions, wish: SaveAndPublish): Promise<SavedAndPublished> {
  const { tenant, id, document, when } = wish
  await definitions.requirePublishable(tenant, id, document)
  let created = false
  for (let tried = 1; ; tried += 1) {
    try {
      const saved = await save(definitions, wish)
      created ||= saved.created
      return { ...saved, ...(await definitions.publish(tenant, id, saved.revision)), created }
    } catch (error) {
      const isRace = DraftChanged.is(error) || DefinitionExists.is(error) || DefinitionNotFound.is(error)
      if (!isRace || when !== 'any' || tried === MOST_TRIES) throw error
    }
  }
}

async function save(
  definitions: Definitions,
  { tenant, id, document, by, when }: SaveAndPublish,
): Promise<SavedDraft & { readonly created: boolean }> {
  const create = async () => ({ ...(await definitions.create(tenant, document, by)), created: true })
  if (when === 'new' && idIn(document) === id) return create()
  try {
    const revision = typeof when === 'number' ? when : undefined
    return { ...(await definitions.saveDraft(tenant, id, document, revision, by)), created: false }
  } catch (error) {
    if (!DefinitionNotFound.is(error) || when !== 'any') throw error
    return create()
  }
}

/** One that is saved under another id is refused by `saveDraft`, which says so. */
const idIn = (document: Json): unknown => (isJsonObject(document) ? document.id : undefined)
