/** Forms are JSON schemas: what a person hands in must fit, and whoever hands it in is told field by field what does not. */
import type { Json } from '@lockstep/base'

import { compileSchema, essentialErrors, schemaFault, type Validator } from '../graph/json-schema.ts'

/** Bytes of JSON. */
export const FORM_LIMIT = 65_536
const MOST_COMPILED = 200
const MOST_PROBLEMS = 20
const LONGEST_LIST = 1_000

export interface FormProblem {
  /** JSON pointer into what was handed in. */
  readonly pointer: string
  readonly text: string
}

/** Why a value is no form, to be said after its name; `undefined` when it is one. */
export function formProblem(form: Json): string | undefined {
  if (typeof form !== 'boolean' && (typeof form !== 'object' || form === null || Array.isArray(form)))
    return 'must be a JSON schema: an object, true or false'
  const bytes = Buffer.byteLength(JSON.stringify(form))
  if (bytes > FORM_LIMIT) return `is ${bytes} bytes of JSON, more than ${FORM_LIMIT}: ask for less, or in several tasks`
  const fault = schemaFault(form)
  return fault === undefined ? undefined : `is no JSON schema: ${fault}`
}

const compiled = new Map<string, Validator>()

/** What does not fit, at most twenty of it. Nothing is filled in or left out: what was handed in is what the workflow gets. */
export function checkForm(form: unknown, data: Json): readonly FormProblem[] {
  const validate = validatorOf(form)
  if (validate === undefined || validate(data)) return []
  const problems = essentialErrors(validate).map(({ instancePath, keyword, params, message }) => ({
    pointer: keyword === 'required' ? `${instancePath}/${params.missingProperty}` : instancePath,
    text: textOf(keyword, params, message),
  }))
  return problems.slice(0, MOST_PROBLEMS)
}

function textOf(keyword: string, params: Readonly<Record<string, unknown>>, message: string | undefined): string {
  if (keyword === 'required') return 'is missing: fill it in'
  if (keyword === 'additionalProperties')
    return `has no field "${shortened(String(params.additionalProperty))}": remove it`
  if (keyword === 'enum') return `must be one of ${shortened(JSON.stringify(params.allowedValues).slice(1, -1))}`
  return message ?? 'does not fit'
}

/** A schema may list more than an answer should hold. */
const shortened = (text: string): string => (text.length > LONGEST_LIST ? `${text.slice(0, LONGEST_LIST)}…` : text)

/** The same form is usually handed in many times. The oldest is let go first. */
function validatorOf(form: unknown): Validator | undefined {
  if (form === null || form === undefined) return undefined
  const key = JSON.stringify(form)
  const present = compiled.get(key)
  if (present !== undefined) return present
  const made = compileSchema(form as object | boolean)
  compiled.set(key, made)
  if (compiled.size > MOST_COMPILED) compiled.delete(compiled.keys().next().value!)
  return made
}
