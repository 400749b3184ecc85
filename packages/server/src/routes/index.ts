import type { AnyRoute } from '../route/route.ts'
import { cancelInstance } from './cancel.ts'
import { createDefinition, getDefinition, listDefinitions, putDefinition } from './definitions.ts'
import { getDraft, publishDraft, putDraft } from './drafts.ts'
import { publishEvent } from './events.ts'
import { getInstance, listInstances, startInstance } from './instances.ts'
import { readJournal } from './journal.ts'
import { resumeInstance } from './resume.ts'

/** Every operation under `/api/v1`. OpenAPI describes exactly these. */
export const apiRoutes: readonly AnyRoute[] = [
  createDefinition,
  listDefinitions,
  getDefinition,
  putDefinition,
  getDraft,
  putDraft,
  publishDraft,
  startInstance,
  listInstances,
  getInstance,
  readJournal,
  resumeInstance,
  cancelInstance,
  publishEvent,
]
