import { isJsonObject } from '@lockstep/base'
import { Ajv, type ValidateFunction } from 'ajv'
import { activityCatalogue } from './activity-catalogue.ts'
import type { EffectActivity, RunnableActivity } from './activity-handler.ts'
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

export function activityRegistry(own: readonly EffectActivity[] = []): ActivityRegistry {
  const types: ActivityType[] = [...builtInActivities, ...own]
  const handlers = new Map<string, RunnableActivity>(own.map((activity) => [activity.type, activity]))
  for (const type of builtInActivities) {
    const run = builtInHandlers[type.type]
    if (run !== undefined) handlers.set(type.type, { ...type, runs: 'inline', run })
  }
  const ajv = new Ajv({ allErrors: false, strict: false })
  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (type: ActivityType): ValidateFunction => {
    const present = validators.get(type.type)
    if (present !== undefined) return present
    const made = ajv.compile(type.inputs)
    validators.set(type.type, made)
    return made
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
