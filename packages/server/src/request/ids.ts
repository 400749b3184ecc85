import { DefinitionNotFound, ScheduleNotFound } from '@lockstep/engine'

/** Slugs of graphs and ids of functions alike. */
export const DEFINITION_ID = '^[a-z0-9][a-z0-9._-]{0,99}$'

const definitionId = new RegExp(DEFINITION_ID)

/** The id as it stands in a path. One that no workflow can have is one that no workflow has. */
export function definitionIdOf(text: string): string {
  if (!definitionId.test(text)) throw new DefinitionNotFound({ definitionId: text.slice(0, 100) })
  return text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNKEEPABLE = /[\u0000-\u001f\u007f]|\p{Surrogate}/u
const LONGEST_NAME = 512

/** Whether the store could have a name like this one. */
export const isName = (text: string): boolean => text !== '' && text.length <= LONGEST_NAME && !UNKEEPABLE.test(text)

/** Jobs and triggers of workflows have schedules whose ids are no slugs. */
export function scheduleIdOf(text: string): string {
  if (!isName(text)) throw new ScheduleNotFound({ scheduleId: text.slice(0, 100) })
  return text
}
