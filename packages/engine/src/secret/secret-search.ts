/**
 * Finds texts in a text, of whatever length and number, in one pass. Where to look is told by their beginnings: of few of them by a pattern, of many,
 * with which a pattern would be slow at every place, by their sums. Whole texts would make a pattern that the language refuses, with an error
 * that shows them.
 */

/** Of a beginning by which those are found that may stand at a place. The shortest text has as many. */
const HEAD = 4
/** Of one that is compared before the whole is: what agrees so far is compared at length. */
const LONG_HEAD = 64
/** Comparisons at length that came to nothing. Ordinary text has none; what has so many was made for it. */
const MOST_IN_VAIN = 1_000
const MOST_IN_PATTERN = 32
/** Room for each beginning in the table of sums: how rarely a place is looked at in vain. */
const ROOM = 64
const LARGEST_TABLE = 65_536

interface Sought {
  readonly text: string
  readonly longHead: string
}

export class SecretSearch {
  /** By their beginnings, the longest first. */
  readonly #byHead = new Map<string, Sought[]>()
  /** The next place at which one may stand, from here on; -1: there is none. */
  readonly #next: (text: string, from: number) => number

  /** Each of `texts` has four characters or more. */
  constructor(texts: Iterable<string>) {
    for (const text of [...new Set(texts)].sort((a, b) => b.length - a.length)) {
      const sought = { text, longHead: text.slice(0, LONG_HEAD) }
      const known = this.#byHead.get(text.slice(0, HEAD))
      if (known === undefined) this.#byHead.set(text.slice(0, HEAD), [sought])
      else known.push(sought)
    }
    const heads = [...this.#byHead.keys()]
    this.#next = heads.length <= MOST_IN_PATTERN ? byPattern(heads) : bySums(heads)
  }

  /** The text with `instead` in the place of each that is found, the longest first. */
  replace(text: string, instead: string): string {
    let [kept, from, inVain] = ['', 0, 0]
    for (let at = this.#next(text, 0); at >= 0; at = this.#next(text, Math.max(at + 1, from))) {
      const alike = this.#byHead.get(text.slice(at, at + HEAD))?.filter(({ longHead }) => text.startsWith(longHead, at))
      if (alike === undefined) continue
      const match = alike.find((sought) => text.startsWith(sought.text, at))
      if (match === undefined) {
        inVain += alike.length
        if (inVain > MOST_IN_VAIN) return instead
        continue
      }
      kept += text.slice(from, at) + instead
      from = at + match.text.length
    }
    return from === 0 ? text : kept + text.slice(from)
  }
}

function byPattern(heads: readonly string[]): (text: string, from: number) => number {
  const pattern = new RegExp(heads.map((head) => head.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  return (text, from) => {
    pattern.lastIndex = from
    return pattern.exec(text)?.index ?? -1
  }
}

function bySums(heads: readonly string[]): (text: string, from: number) => number {
  const size = 2 ** Math.ceil(Math.log2(Math.min(LARGEST_TABLE, ROOM * heads.length)))
  const sums = new Uint8Array(size)
  const sumAt = (text: string, at: number): number => {
    const sum = (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)
    return (sum * 31 + text.charCodeAt(at + 3)) & (size - 1)
  }
  for (const head of heads) sums[sumAt(head, 0)] = 1
  return (text, from) => {
    for (let at = from; at + HEAD <= text.length; at += 1) if (sums[sumAt(text, at)] === 1) return at
    return -1
  }
}
