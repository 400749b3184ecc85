/**
 * JSON can say things that no store keeps and recursion does not survive: U+0000, halves of surrogate pairs, values nested
 * without end. Bodies that could hold such a thing are looked at; the text tells in one pass that nearly all cannot.
 */
import { MalformedJson } from '../problem/request-errors.ts'

export const DEEPEST = 500
/** Members of all objects of a body together: each costs more memory than it has bytes. */
export const MOST_MEMBERS = 50_000

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
const UNKEEPABLE = /[\0\p{Surrogate}]/u

export function checkSound(text: string, value: unknown, mostMembers: number = MOST_MEMBERS): void {
  if (mayHaveMany(text, mostMembers)) checkCount(value, mostMembers)
  const escapes = SUSPECT_ESCAPE.test(text)
  if (!escapes && !mayBeDeep(text)) return
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top.value === 'string') checkText(top.value)
    if (typeof top.value !== 'object' || top.value === null) continue
    if (top.depth >= DEEPEST)
      throw new MalformedJson({ reason: `it is nested deeper than ${DEEPEST} levels: flatten it` })
    for (const key in top.value) {
      if (escapes) checkText(key)
      const member = (top.value as Record<string, unknown>)[key]
      if (escapes || typeof member === 'object') stack.push({ value: member, depth: top.depth + 1 })
    }
  }
}

function checkText(text: string): void {
  if (UNKEEPABLE.test(text))
    throw new MalformedJson({ reason: 'text may not hold U+0000 or half of a surrogate pair: remove the character' })
}

/** Colons inside text count too: this may only err on the side of looking. */
function mayHaveMany(text: string, most: number): boolean {
  if (text.length <= most * 4) return false // the shortest member is "":1
  let colons = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) if (++colons > most) return true
  return false
}

function checkCount(value: unknown, most: number): void {
  let count = 0
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const top = stack.pop()
    if (typeof top !== 'object' || top === null) continue
    const members = Object.values(top)
    if (!Array.isArray(top)) count += members.length
    if (count > most)
      throw new MalformedJson({ reason: `it has more than ${most} members in all: send less at once, or use lists` })
    for (const member of members) stack.push(member)
  }
}

/** Brackets inside text count too: this may only err on the side of looking. */
function mayBeDeep(text: string): boolean {
  if (text.length <= DEEPEST) return false
  let opened = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if ((unit === 0x5b || unit === 0x7b) && ++opened > DEEPEST) return true
  }
  return false
}
