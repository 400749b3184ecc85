// Methods of strings whose answer no table of Unicode, no locale and no regular expression can change.

import { toNumber, toOptionalNumber, toText } from './coerce.ts'
import { type Frame, LEAVE, LONGEST_TEXT, spend, spendText, Thrown } from './frame.ts'
import type { Method } from './method.ts'

type TextMethod = Method<string>

/** A search compares at worst every place of the text with all of what is sought. */
const LONGEST_SEARCH = 4_000_000

function searchable(text: string, sought: string, frame: Frame): string {
  if (sought.length > 1 && text.length * sought.length > LONGEST_SEARCH) throw LEAVE
  if (text.length > 64) spend(frame, text.length >> 4)
  return sought
}

function found(apply: (text: string, sought: string, from: number | undefined) => unknown): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const sought = searchable(text, toText(args[0], frame), frame)
      return apply(text, sought, toOptionalNumber(args[1], frame))
    },
  }
}

function at(apply: (text: string, position: number) => unknown): TextMethod {
  return { most: 1, call: (text, [position], frame) => apply(text, toOptionalNumber(position, frame) ?? 0) }
}

function part(apply: (text: string, from: number, to: number | undefined) => string): TextMethod {
  return {
    most: 2,
    call: (text, [from, to], frame) => {
      spendText(frame, text.length)
      return apply(text, toOptionalNumber(from, frame) ?? 0, toOptionalNumber(to, frame))
    },
  }
}

function whole(apply: (text: string) => string): TextMethod {
  return {
    most: 0,
    call: (text, _args, frame) => {
      if (text.length > 64) spend(frame, text.length >> 4)
      return apply(text)
    },
  }
}

/** Past these two blocks of Latin letters, case depends on the Unicode version of the engine and on neighbours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range begins where Unicode does
const SETTLED_CASE = /^[\u0000-\u017f]*$/

function cased(apply: (text: string) => string): TextMethod {
  return whole((text) => {
    if (!SETTLED_CASE.test(text)) throw LEAVE
    return apply(text)
  })
}

function padded(apply: (text: string, length: number, fill: string) => string): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const length = toNumber(args[0], frame)
      if (!(length >= text.length + 1)) return text
      if (length > LONGEST_TEXT) throw LEAVE
      const fill = args[1] === undefined ? ' ' : toText(args[1], frame)
      const result = apply(text, length, fill)
      spendText(frame, result.length)
      return result
    },
  }
}

function replaced(apply: (text: string, sought: string, by: string) => string): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const sought = searchable(text, toText(args[0], frame), frame)
      const by = toText(args[1], frame)
      if (by.includes('$')) throw LEAVE
      if ((text.length + 1) * (by.length + 1) > LONGEST_SEARCH) throw LEAVE
      const result = apply(text, sought, by)
      spendText(frame, result.length)
      return result
    },
  }
}

const concat: TextMethod = {
  most: 16,
  call: (text, args, frame) => {
    let result = text
    for (const arg of args) {
      result += toText(arg, frame)
      spendText(frame, result.length)
    }
    return result
  },
}

const repeat: TextMethod = {
  most: 1,
  call: (text, [times], frame) => {
    const count = Math.trunc(toNumber(times, frame)) || 0
    if (count < 0 || count === Number.POSITIVE_INFINITY) throw new Thrown('RangeError', 'invalid repeat count')
    if (Math.max(text.length, 1) * count > LONGEST_TEXT) throw LEAVE
    spendText(frame, text.length * count)
    return text.repeat(count)
  },
}

const split: TextMethod = {
  most: 1,
  call: (text, [separator], frame) => {
    if (separator === undefined) return [text]
    const parts = text.split(searchable(text, toText(separator, frame), frame))
    spend(frame, parts.length)
    return parts
  },
}

const lastIndexOf: TextMethod = {
  most: 1,
  call: (text, [sought], frame) => text.lastIndexOf(searchable(text, toText(sought, frame), frame)),
}

export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map(
  Object.entries({
    at: at((text, position) => text.at(position)),
    charAt: at((text, position) => text.charAt(position)),
    charCodeAt: at((text, position) => text.charCodeAt(position)),
    codePointAt: at((text, position) => text.codePointAt(position)),
    concat,
    endsWith: found((text, sought, end) => text.endsWith(sought, end)),
    includes: found((text, sought, from) => text.includes(sought, from)),
    indexOf: found((text, sought, from) => text.indexOf(sought, from)),
    lastIndexOf,
    padEnd: padded((text, length, fill) => text.padEnd(length, fill)),
    padStart: padded((text, length, fill) => text.padStart(length, fill)),
    repeat,
    replace: replaced((text, sought, by) => text.replace(sought, by)),
    replaceAll: replaced((text, sought, by) => text.replaceAll(sought, by)),
    slice: part((text, from, to) => text.slice(from, to)),
    split,
    startsWith: found((text, sought, from) => text.startsWith(sought, from)),
    substring: part((text, from, to) => text.substring(from, to)),
    toLowerCase: cased((text) => text.toLowerCase()),
    toString: whole((text) => text),
    toUpperCase: cased((text) => text.toUpperCase()),
    trim: whole((text) => text.trim()),
    trimEnd: whole((text) => text.trimEnd()),
    trimStart: whole((text) => text.trimStart()),
  }),
)
