import type { JsonObject } from '@lockstep/base'
import { parseDuration } from '@lockstep/base'
import { DURATION_FORMAT, INSTANT_FORMAT } from '../activity/input-schema.ts'
import type { SchemaError } from './schema/check.ts'
import { type Validator, validator } from './schema/validator.ts'

export type { SchemaError } from './schema/check.ts'
export type { Validator } from './schema/validator.ts'

/** Unknown keywords and formats are notes of the author, not mistakes of ours. Throws what is wrong with the schema. */
export function compileSchema(schema: object | boolean): Validator {
  return validator(schema as JsonObject | boolean, FORMATS)
}

/** One of our own schemas, compiled when the first value is checked: a process that checks none need not wait for it. */
export function compiledLate(schema: object | boolean): () => Validator {
  let compiled: Validator | undefined
  return () => {
    // Ours take a few steps for each member, and a document may have a million of them.
    compiled ??= validator(schema as JsonObject | boolean, FORMATS, Number.POSITIVE_INFINITY)
    return compiled
  }
}

const LONGEST_INSTANT = 64

/** What is longer is none, and would be looked through once for each T in it. */
const isInstant = (text: string): boolean =>
  text.length <= LONGEST_INSTANT && /T.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text))

export function isDuration(text: string | number): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    return false
  }
}

const FORMATS = { [DURATION_FORMAT]: isDuration, [INSTANT_FORMAT]: isInstant }

/** Why a schema is none, or `undefined`. */
export function schemaFault(schema: object | boolean): string | undefined {
  try {
    compileSchema(schema)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Without what the branches of `anyOf` and its kin say one by one: the reader needs the sum. Never empty when the value does not fit. */
export function essentialErrors(validate: Validator): readonly SchemaError[] {
  return (validate.errors ?? []).filter(({ isOfBranch, keyword }) => !isOfBranch && keyword !== 'propertyNames')
}
