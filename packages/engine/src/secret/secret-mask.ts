/** Takes values out of whatever is about to be written down: as they are, and in the forms in which others give them back. */
import type { Json, LogFields } from '@lockstep/base'
import { SecretSearch } from './secret-search.ts'

export const MASKED = '[secret]'

/** Shorter ones would take much away that is none. */
const SHORTEST = 4
/** Of a number that is taken for a secret, and of a part of one. */
const SHORTEST_PART = 8
/** Of a line, or a piece of a path, that is taken for a secret by itself. */
const SHORTEST_LINE = 16
/** A longer one is written with an escape for each sign by nobody. */
const LONGEST_ESCAPED = 256
const MOST_VALUES = 256

interface Sought {
  readonly search: SecretSearch
  /** Those that are numbers. */
  readonly numbers: ReadonlySet<number>
}

export class SecretMask {
  /** None for most: an instance without secrets pays nothing. */
  #formsOf: Map<string, readonly string[]> | undefined
  /** Made when it is needed, out of all of them. */
  #sought: Sought | undefined

  get isEmpty(): boolean {
    return this.#formsOf === undefined
  }

  add(value: string): void {
    const values = this.#formsOf ?? new Map()
    if (value.length < SHORTEST || values.has(value)) return
    if (values.size >= MOST_VALUES) values.delete(values.keys().next().value!)
    values.set(value, allFormsOf(value))
    this.#formsOf = values
    this.#sought = undefined
  }

  /** Whether a text shows one of them. */
  shows(text: string): boolean {
    return this.text(text) !== text
  }

  text(text: string): string {
    return this.#seek()?.search.replace(text, MASKED) ?? text
  }

  /** Plain data without them, in names of members too. The value itself where it holds none. */
  json<T extends Json | undefined>(value: T): T {
    return this.isEmpty ? value : (this.#json(value as Json) as T)
  }

  fields(fields: LogFields): LogFields {
    return this.isEmpty ? fields : (this.#json(plain(fields)) as LogFields)
  }

  #seek(): Sought | undefined {
    if (this.#formsOf === undefined) return undefined
    this.#sought ??= {
      search: new SecretSearch([...this.#formsOf.values()].flat()),
      numbers: new Set([...this.#formsOf.keys()].filter(isNumber).map(Number)),
    }
    return this.#sought
  }

  #json(value: Json): Json {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') {
      const digits = String(value)
      const isOne = this.#seek()?.numbers.has(Math.abs(value)) || (digits.length >= SHORTEST_PART && this.shows(digits))
      return isOne ? MASKED : value
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#json(item))
      return items.some((item, at) => item !== value[at]) ? items : value
    }
    const before = Object.entries(value)
    const after = before.map(([key, member]) => [this.text(key), this.#json(member as Json)] as const)
    const isSame = after.every(([key, member], at) => key === before[at]![0] && member === before[at]![1])
    return isSame ? value : Object.fromEntries(after)
  }
}

/** What a reader of JSON would take for a number, and no other text for the same small one: `0001` is not 1. */
const isNumber = (value: string): boolean =>
  /^[1-9]\d*$/.test(value) || (/^\d+\.\d+$/.test(value) && String(Number(value)) === value)

/** As it is and in parts, in every form. */
function allFormsOf(value: string): readonly string[] {
  const escaped = value.length > LONGEST_ESCAPED ? [] : escapedFormsOf(value)
  return [...new Set([...partsOf(value).flatMap(formsOf), ...escaped])].filter(({ length }) => length >= SHORTEST)
}

/** Others may give back a part of it alone: a line of a key, or what makes a URL secret. */
function partsOf(value: string): readonly string[] {
  const lines = value.includes('\n') ? value.split(/[\r\n]+/).filter((line) => line.length >= SHORTEST_LINE) : []
  return [value, ...lines, ...(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value) ? partsOfUrl(value) : [])]
}

function partsOfUrl(text: string): readonly string[] {
  const { href, pathname, search, searchParams, username, password, hash } = new URL(text)
  const path = pathname.split('/').filter((segment) => segment.length >= SHORTEST_LINE)
  const rest = [
    pathname + search,
    search.slice(1),
    ...searchParams.values(),
    username,
    password,
    hash.slice(1),
    ...path,
  ]
  const plain = rest.flatMap((part) => [part, decoded(part)])
  return [href, ...plain.filter((part) => part.length >= SHORTEST_PART)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function formsOf(given: string): readonly string[] {
  const value = given.replace(/\p{Cs}/gu, '\ufffd') // half of a sign has no other form
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  return [
    given,
    ...[value.toLowerCase(), value.toUpperCase()],
    ...[...jsonFormsOf(value), ...urlFormsOf(value), ...htmlFormsOf(value)],
    ...[hex, hex.toUpperCase(), ...base64FormsOf(bytes)].filter((each) => each.length >= SHORTEST_PART),
  ]
}

/** Once and twice over; some writers hide slashes, some all that is not ASCII. */
function jsonFormsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [json, JSON.stringify(json).slice(1, -1), json.replaceAll('/', '\\/'), ascii]
}

/** Writers agree neither on which signs are escaped, nor on the case of escapes. */
function urlFormsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value)
  const strict = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams({ v: value }).toString().slice(2)
  const all = [encoded, strict, strict.replaceAll('%20', '+'), form, encodeURI(value)]
  return [...all, ...all.map((text) => text.replace(/%[\dA-F]{2}/g, (each) => each.toLowerCase()))]
}

/** As a page shows what it was sent. */
function htmlFormsOf(value: string): readonly string[] {
  const tags = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quotes = tags.replaceAll('"', '&quot;')
  return [tags, quotes, quotes.replaceAll("'", '&#39;'), quotes.replaceAll("'", '&#x27;')]
}

/** Where every sign has its escape, which nobody needs and some do. */
function escapedFormsOf(value: string): readonly string[] {
  const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
  const units = Array.from({ length: value.length }, (_, at) => hex(value.charCodeAt(at), 4))
  const points = [...value].map((sign) => sign.codePointAt(0)!)
  const all = [
    units.map((unit) => `\\u${unit}`).join(''),
    [...Buffer.from(value)].map((byte) => `%${hex(byte, 2)}`).join(''),
    points.map((point) => `&#x${hex(point, 2)};`).join(''),
  ]
  const inCapitals = all.map((text) =>
    text.replace(/(\\u|%|&#x)([\da-f]+)/g, (_, sign: string, digits: string) => sign + digits.toUpperCase()),
  )
  return [...all, ...inCapitals, points.map((point) => `&#${point};`).join('')]
}

/** What base64 makes of it wherever it stands among other bytes, such as behind a user's name: the characters that are its own alone. */
function base64FormsOf(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    const own = text.slice(Math.ceil((before * 8) / 6), whole)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** What a logger would make of fields that are no plain data. */
function plain(fields: LogFields): Json {
  const seen = new Set<unknown>()
  return JSON.parse(
    JSON.stringify(fields, (_key, value: unknown) => {
      if (typeof value === 'bigint') return String(value)
      if (typeof value !== 'object' || value === null) return value
      if (seen.has(value)) return '[again]'
      seen.add(value)
      return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value
    }) ?? '{}',
  )
}
