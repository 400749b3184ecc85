/** Takes a pattern apart that the host has already found to be one, in its Unicode mode. */

export type Pattern =
  /** One sign, as the pattern writes it: `a`, `\d`, `[a-z]`, `.`. */
  | { readonly kind: 'sign'; readonly source: string }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'either'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number }

export type Place = 'start' | 'end' | 'word-edge' | 'no-word-edge'

/** What looks around or back is no matter of signs one after the other. */
export class LooksAround extends Error {}

const LOOK = /^\(\?(?:=|!|<=|<!)/
const GROUP = /^\((?:\?:|\?<[^>]*>)?/
const CLASS = /^\[(?:[^\]\\]|\\.)*\]/su
const BACK = /^\\[1-9k]/
/** Two halves of one sign are one sign. */
const ESCAPE =
  /^\\(?:[pPu]\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|.)/su
const COUNT = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/

const PLACES: Readonly<Record<string, Place>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'word-edge',
  '\\B': 'no-word-edge',
}

export function parsePattern(source: string): Pattern {
  let at = 0
  const take = (token: RegExp): RegExpExecArray | undefined => {
    const found = token.exec(source.slice(at)) ?? undefined
    at += found?.[0].length ?? 0
    return found
  }
  const alternatives = (): Pattern => {
    const parts: Pattern[] = []
    for (;;) {
      parts.push(sequence())
      if (source[at] !== '|') break
      at += 1
    }
    return parts.length === 1 ? parts[0]! : { kind: 'either', parts }
  }
  const sequence = (): Pattern => {
    const parts: Pattern[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(term()))
    return { kind: 'sequence', parts }
  }
  const term = (): Pattern => {
    const rest = source.slice(at, at + 4)
    if (LOOK.test(rest) || BACK.test(rest)) throw new LooksAround()
    if (take(GROUP) !== undefined) {
      const inner = alternatives()
      at += 1 // its end
      return inner
    }
    const text = (take(CLASS) ?? take(ESCAPE))?.[0] ?? String.fromCodePoint(source.codePointAt(at)!)
    if (text[0] !== '[' && text[0] !== '\\') at += text.length
    const place = PLACES[text]
    return place === undefined ? { kind: 'sign', source: text } : { kind: 'place', place }
  }
  const repeated = (part: Pattern): Pattern => {
    const found = take(COUNT)
    if (found === undefined) return part
    const [, sign, low, comma, high] = found
    const least = sign === undefined ? Number(low) : sign === '+' ? 1 : 0
    if (sign !== undefined) return { kind: 'repeat', part, least, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    const most = comma === undefined ? least : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    return { kind: 'repeat', part, least, most }
  }
  return alternatives()
}
