import { DefinitionNotFound } from '@lockstep/engine'

/** Slugs of graphs and ids of functions alike. */
export const DEFINITION_ID = '^[a-z0-9][a-z0-9._-]{0,99}$'

const definitionId = new RegExp(DEFINITION_ID)

/** The id as it stands in a path. One that no workflow can have is one that no workflow has. */
export function definitionIdOf(text: string): string {
  if (!definitionId.test(text)) throw new DefinitionNotFound({ definitionId: text.slice(0, 100) })
  return text
}
