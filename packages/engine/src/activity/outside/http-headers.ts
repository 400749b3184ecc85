import { isJsonObject, type Json } from '@lockstep/base'
import { badInput, digestOf } from './outside-step.ts'
import { namedByData } from './secret-input.ts'

export interface RequestHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of those that hold secrets. */
  readonly sensitive: readonly string[]
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/** What frames a request is ours to say: a second opinion is how requests are smuggled. */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'proxy-connection',
])
const VISIBLE = /^[\t\x20-\x7e\x80-\xff]*$/

export function headersOf(given: Json | undefined, holdsSecret: (text: string) => boolean): RequestHeaders {
  const headers: Record<string, string> = {}
  const sensitive: string[] = []
  for (const [written, value] of Object.entries(isJsonObject(given) ? given : {})) {
    const name = written.toLowerCase()
    if (!NAME.test(name))
      throw badInput(`input "headers" has a name that no header can have: ${JSON.stringify(written)}`)
    if (OURS.has(name)) throw badInput(`input "headers" may not set "${written}": it follows from the request`)
    if (typeof value === 'object') throw namedByData(`header "${written}"`)
    const text = String(value)
    if (!VISIBLE.test(text))
      throw badInput(`header "${written}" has characters that no header can hold, such as line ends`)
    Object.defineProperty(headers, name, { value: text, enumerable: true, configurable: true, writable: true })
    if (holdsSecret(text)) sensitive.push(name)
  }
  return { headers, sensitive }
}

/** The key as it is where a header can hold it. */
export function idempotencyHeader(key: string): string {
  return /^[\x21-\x7e]{1,255}$/.test(key) ? key : digestOf(key, 64)
}
