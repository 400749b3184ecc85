import { parseDuration } from '@lockstep/base'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { DURATION_FORMAT, INSTANT_FORMAT } from '../activity/input-schema.ts'

/**
 * Compiles one JSON schema on its own: schemas come from authors, and one compiler for all would keep each of them, and
 * let their `$id`s collide.
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  // Unknown keywords and formats are notes of the author, not mistakes of ours.
  const compiler = new Ajv2020({ allErrors: true, strict: false, logger: false, verbose: true })
  compiler.addFormat(DURATION_FORMAT, isDuration)
  compiler.addFormat(
    INSTANT_FORMAT,
    (text: string) => /T.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
  )
  return compiler.compile(schema)
}

/** One of our own schemas, compiled when the first value is checked: a process that checks none need not wait for it. */
export function compiledLate(schema: object | boolean): () => ValidateFunction {
  let compiled: ValidateFunction | undefined
  return () => {
    compiled ??= compileSchema(schema)
    return compiled
  }
}

export function isDuration(text: string | number): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    return false
  }
}

/** Why a schema is none, or `undefined`. */
export function schemaFault(schema: object | boolean): string | undefined {
  try {
    compileSchema(schema)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Without what the branches of `anyOf` and its kin say one by one: the reader needs the sum. */
export function essentialErrors(validate: ValidateFunction): readonly ErrorObject[] {
  return (validate.errors ?? []).filter(
    ({ schemaPath, keyword }) =>
      !/\/(anyOf|oneOf|not|if|then|else|contains)\/./.test(schemaPath) && keyword !== 'propertyNames',
  )
}
