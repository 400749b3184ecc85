/**
 * JSON can say things that no store keeps and recursion does not survive: U+0000, halves of surrogate pairs, values nested without
 * end, more members than memory is worth. One pass over the text finds them; the value is only gone through to name their place.
 */
import { BodyTooComplex, MalformedJson } from '../problem/request-errors.ts'

export interface JsonLimits {
  /** Lists and objects inside one another. */
  readonly depth: number
  /** Of all objects together: each costs more memory than it has bytes. */
  readonly members: number
}

/** Of bodies, unless whoever runs the node says otherwise. */
export const BODY_LIMITS: JsonLimits = { depth: 64, members: 50_000 }
/** Of whole workflows: a container in a container is four levels, and 10 MiB hold so much. */
export const DOCUMENT_LIMITS: JsonLimits = { depth: 400, members: 1_000_000 }

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
const UNKEEPABLE = /[\0\p{Surrogate}]/u

/** `text` has been parsed, so it is JSON. */
export function checkSound(text: string, value: unknown, limits: JsonLimits = BODY_LIMITS): void {
  checkSize(text, value, limits)
  if (!SUSPECT_ESCAPE.test(text)) return
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const top = stack.pop()
    if (typeof top === 'string') checkText(top)
    if (typeof top !== 'object' || top === null) continue
    for (const key in top) {
      checkText(key)
      stack.push((top as Record<string, unknown>)[key])
    }
  }
}

const PROTOTYPES_REFUSED = 'members called __proto__ or constructor.prototype are refused: rename them'

/** Of whatever strangers send: copied member by member, such a one would become the prototype of the copy. */
export function refusePrototypes(value: unknown): void {
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const top = stack.pop()
    if (typeof top !== 'object' || top === null) continue
    for (const [key, member] of Object.entries(top)) {
      const isBad = key === '__proto__' || (key === 'constructor' && isObjectWith(member, 'prototype'))
      if (isBad) throw new MalformedJson({ reason: PROTOTYPES_REFUSED })
      stack.push(member)
    }
  }
}

const isObjectWith = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)

function checkText(text: string): void {
  if (UNKEEPABLE.test(text))
    throw new MalformedJson({ reason: 'text may not hold U+0000 or half of a surrogate pair: remove the character' })
}

function checkSize(text: string, value: unknown, limits: JsonLimits): void {
  const { depth, members } = limits
  if (text.length <= 2 * depth && text.length <= 4 * members) return // the shortest level is [], the shortest member "":1
  const found = measured(text)
  if (found.depth > depth) throw new BodyTooComplex({ what: 'levels', limit: depth, ...placeOf(value, limits) })
  if (found.members > members) throw new BodyTooComplex({ what: 'members', limit: members, ...placeOf(value, limits) })
}

const [QUOTE, ESCAPE, COLON] = [0x22, 0x5c, 0x3a]

/** What stands inside text does not count. */
function measured(text: string): JsonLimits {
  let [open, depth, members] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfText(text, at)
    else if (unit === COLON) members++
    else if (unit === 0x5b || unit === 0x7b) {
      if (++open > depth) depth = open
    } else if (unit === 0x5d || unit === 0x7d) open--
  }
  return { depth, members }
}

function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === ESCAPE) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}

interface Place {
  readonly value: object
  readonly depth: number
  readonly above: Place | undefined
  readonly key: string
}

/** Where the limit is passed, the first such place from the top. */
function placeOf(value: unknown, limits: JsonLimits): { readonly pointer: string } {
  let members = 0
  const stack: Place[] = []
  const put = (member: unknown, depth: number, above: Place | undefined, key: string): void => {
    if (typeof member === 'object' && member !== null) stack.push({ value: member, depth, above, key })
  }
  put(value, 1, undefined, '')
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const entries = Object.entries(top.value)
    if (!Array.isArray(top.value)) members += entries.length
    if (top.depth > limits.depth || members > limits.members) return { pointer: pointerTo(top) }
    for (const [key, member] of entries.reverse()) put(member, top.depth + 1, top, key)
  }
  return { pointer: '' } // a name that came twice counts twice in the text
}

const LONGEST_POINTER = 200

function pointerTo(place: Place): string {
  const keys: string[] = []
  for (let at: Place | undefined = place; at?.above !== undefined; at = at.above)
    keys.push(at.key.slice(0, LONGEST_POINTER).replaceAll('~', '~0').replaceAll('/', '~1'))
  const full = keys
    .reverse()
    .map((key) => `/${key}`)
    .join('')
  return full.length > LONGEST_POINTER ? `${full.slice(0, LONGEST_POINTER)}…` : full
}
