import type { TSchema } from 'typebox'

const WHOLE = /^-?\d{1,15}$/

/** Turns the text of parameters that are whole numbers into numbers. What does not look like one is left for the check to refuse. */
export function queryReader(schema: TSchema): (query: unknown) => Record<string, unknown> {
  const properties = (schema as { readonly properties?: Readonly<Record<string, TSchema>> }).properties ?? {}
  const numbers = Object.keys(properties).filter(
    (name) => (properties[name] as { readonly type?: unknown }).type === 'integer',
  )
  return (query) => {
    const values = query as Record<string, unknown>
    for (const name of numbers) {
      const text = values[name]
      if (typeof text === 'string' && WHOLE.test(text)) values[name] = Number(text)
    }
    return values
  }
}
