import { isJsonObject, type JsonObject } from '@lockstep/base'

import { compileSchema, type Validator } from '../graph/json-schema.ts'
import { activityCatalogue } from './activity-catalogue.ts'
import type { ActivityResult, CustomActivity, RunnableActivity } from './activity-handler.ts'
import type { ActivityCatalogue, ActivityType } from './activity-type.ts'
import { builtInActivities } from './built-in.ts'
import { outsideTypes } from './outside/outside-types.ts'
import { builtInHandlers } from './run/built-in-handlers.ts'

/** Every activity that this node can run, and the check of its inputs. */
export interface ActivityRegistry extends ActivityCatalogue {
  /** `undefined` for containers and `run-workflow`, which the interpreter runs itself. */
  handler(type: string, inputs?: JsonObject): RunnableActivity | undefined
  /** What is wrong with evaluated inputs, in a sentence; `undefined` when they fit. */
  check(type: string, inputs: unknown): string | undefined
  /**
   * Puts others in the place of all activities that the application added, at one stroke. Attempts that run finish with the code they
   * began with. Throws when the new ones do not fit together; then everything stays as it was.
   */
  replace(own: readonly CustomActivity[]): void
}

interface Snapshot {
  readonly catalogue: ActivityCatalogue
  readonly handlers: ReadonlyMap<string, RunnableActivity>
}

/** Of the schema object itself: built-in types are the same in every engine of a process. */
const validators = new WeakMap<object, Validator>()

function validatorOf(type: ActivityType): Validator {
  const present = validators.get(type.inputs)
  if (present !== undefined) return present
  const made = compileSchema(type.inputs)
  validators.set(type.inputs, made)
  return made
}

/** `given`: what the application adds, and the code of built-in types that needs something from outside. */
export function activityRegistry(given: readonly CustomActivity[] = []): ActivityRegistry {
  const ofBuiltIn = given.filter(isCodeOfBuiltIn)
  let now = snapshot(
    ofBuiltIn,
    given.filter((activity) => !isCodeOfBuiltIn(activity)),
  )
  return {
    get: (type) => now.catalogue.get(type),
    types: () => now.catalogue.types(),
    handler: (type, inputs = {}) => {
      const handler = now.handlers.get(type)
      return handler?.runs === 'transaction' ? (handler.elsewhere?.(inputs) ?? handler) : handler
    },
    check: (type, inputs) => {
      const found = now.catalogue.get(type)
      if (found === undefined) return `activity type "${type}" is not known here`
      const validate = validatorOf(found)
      if (isJsonObject(inputs) && validate(inputs)) return undefined
      const [problem] = validate.errors ?? []
      return `input "${problem?.instancePath.slice(1) || problem?.params.missingProperty || ''}" ${problem?.message ?? 'does not fit'}`
    },
    replace: (own) => {
      for (const activity of own) validatorOf(activity)
      now = snapshot(ofBuiltIn, own)
    },
  }
}

function snapshot(ofBuiltIn: readonly CustomActivity[], own: readonly CustomActivity[]): Snapshot {
  const handlers = new Map<string, RunnableActivity>()
  for (const type of builtInActivities) {
    const run = builtInHandlers[type.type] ?? (type.kind === 'trigger' ? hasFired : undefined)
    if (run !== undefined) handlers.set(type.type, { ...type, runs: 'inline', run })
  }
  for (const activity of [...ofBuiltIn, ...own]) handlers.set(activity.type, activity)
  return { catalogue: activityCatalogue([...builtInActivities, ...own]), handlers }
}

/** A trigger has done its part when the instance is there. */
const hasFired = (): ActivityResult => ({ kind: 'completed', outcome: 'done' })

/** Told by the very schema: an application cannot take the name of a built-in type. */
function isCodeOfBuiltIn({ type, inputs }: CustomActivity): boolean {
  return outsideTypes.some((each) => each.type === type && each.inputs === inputs)
}
