import type { TSchema } from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'

const WHOLE = /^-?\d{1,15}$/

/**
 * Turns the text of parameters that are whole numbers or booleans into what they say. What does not look like one is left for the
 * check to refuse. No store can keep or compare text with a NUL.
 */
export function queryReader(schema: TSchema): (query: unknown) => Record<string, unknown> {
  const properties = (schema as { readonly properties?: Readonly<Record<string, TSchema>> }).properties ?? {}
  const ofType = (type: string): string[] =>
    Object.keys(properties).filter((name) => (properties[name] as { readonly type?: unknown }).type === type)
  const numbers = ofType('integer')
  const flags = ofType('boolean')
  return (query) => {
    const values = query as Record<string, unknown>
    const unsound = Object.keys(values).filter((name) => String(values[name]).includes('\0'))
    if (unsound.length > 0)
      throw new InvalidRequest({
        errors: unsound.map((field) => ({ in: 'query', field, text: `"${field}" may not hold U+0000: remove it` })),
      })
    for (const name of numbers) {
      const text = values[name]
      if (typeof text === 'string' && WHOLE.test(text)) values[name] = Number(text)
    }
    for (const name of flags) {
      if (values[name] === 'true' || values[name] === '') values[name] = true
      else if (values[name] === 'false') values[name] = false
    }
    return values
  }
}
