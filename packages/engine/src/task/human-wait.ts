import type { Json, JsonObject } from '@lockstep/base'
import type { HumanWait } from '../journal/fact.ts'
import { durationOf } from './task-wait.ts'

const DEFAULT_OUTCOMES = ['done']

/** What a step waits for whose work a person does. Its bookmark is named after the activity. */
export function humanWait(id: string, name: string, inputs: JsonObject, policyMs: number | undefined): HumanWait {
  const { title, description, form, assignee } = inputs
  const timeoutMs = durationOf(inputs.timeout) ?? policyMs
  const dueInMs = durationOf(inputs.dueIn) ?? timeoutMs
  return {
    kind: 'human',
    id,
    name,
    title: String(title),
    outcomes: textsOf(inputs.outcomes) ?? DEFAULT_OUTCOMES,
    candidates: textsOf(inputs.candidates) ?? [],
    ...(typeof description === 'string' ? { description } : {}),
    ...(form === undefined || form === null ? {} : { form }),
    ...(typeof assignee === 'string' ? { assignee } : {}),
    ...(dueInMs === undefined ? {} : { dueInMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined
}
