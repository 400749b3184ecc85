import { isJsonObject } from '@lockstep/base'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { compileSchema } from '../graph/json-schema.ts'
import { activityCatalogue } from './activity-catalogue.ts'
import type { CustomActivity, RunnableActivity } from './activity-handler.ts'
import type { ActivityCatalogue, ActivityType } from './activity-type.ts'
import { builtInActivities } from './built-in.ts'
import { builtInHandlers } from './run/built-in-handlers.ts'

/** Every activity that this node can run, and the check of its inputs. */
export interface ActivityRegistry extends ActivityCatalogue {
  /** `undefined` for containers and `run-workflow`, which the interpreter runs itself. */
  handler(type: string): RunnableActivity | undefined
  /** What is wrong with evaluated inputs, in a sentence; `undefined` when they fit. */
  check(type: string, inputs: unknown): string | undefined
}

/** Of the schema object itself: built-in types are the same in every engine of a process. */
const validators = new WeakMap<object, ValidateFunction>()

function validatorOf(type: ActivityType): ValidateFunction {
  const present = validators.get(type.inputs)
  if (present !== undefined) return present
  const made = compileSchema(type.inputs)
  validators.set(type.inputs, made)
  return made
}

export function activityRegistry(own: readonly CustomActivity[] = []): ActivityRegistry {
  const types: ActivityType[] = [...builtInActivities, ...own]
  const handlers = new Map<string, RunnableActivity>(own.map((activity) => [activity.type, activity]))
  for (const type of builtInActivities) {
    const run = builtInHandlers[type.type]
    if (run !== undefined) handlers.set(type.type, { ...type, runs: 'inline', run })
  }
  const catalogue = activityCatalogue(types)
  return {
    ...catalogue,
    handler: (type) => handlers.get(type),
    check: (type, inputs) => {
      const found = catalogue.get(type)
      if (found === undefined) return `activity type "${type}" is not known here`
      const validate = validatorOf(found)
      if (isJsonObject(inputs) && validate(inputs)) return undefined
      const [problem] = validate.errors ?? []
      return `input "${problem?.instancePath.slice(1) || problem?.params.missingProperty || ''}" ${problem?.message ?? 'does not fit'}`
    },
  }
}
