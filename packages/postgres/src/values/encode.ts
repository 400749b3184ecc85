import { InvalidOption } from '@lockstep/base'

/**
 * What goes over the wire for a parameter. JavaScript arrays are SQL arrays, so JSON must be handed over as text: it is
 * the one case in which an array could mean two things, and the caller's text is not walked again here.
 */
export function encodeParameter(value: unknown): string | Uint8Array | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return encodeArray(value)
      if (value instanceof Uint8Array) return value
      if (value instanceof Date) return value.toISOString()
      break
  }
  throw new InvalidOption({
    option: 'parameter',
    rule: 'text, number, bigint, boolean, Date, Uint8Array, null or an array of these; JSON goes in as text',
  })
}

function encodeArray(values: readonly unknown[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    const value = values[index]
    if (typeof value === 'string') text += quote(value)
    else if (typeof value === 'number') text += value
    else text += encodeElement(value)
  }
  return `${text}}`
}

function encodeElement(value: unknown): string {
  if (Array.isArray(value)) return encodeArray(value)
  if (value instanceof Uint8Array)
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`
  const text = encodeParameter(value)
  return text === null ? 'NULL' : quote(String(text))
}

const special = /["\\]/
const everySpecial = /["\\]/g

function quote(text: string): string {
  return special.test(text) ? `"${text.replace(everySpecial, '\\$&')}"` : `"${text}"`
}
