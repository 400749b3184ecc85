/**
 * Finds texts in a text, of whatever length and number, in one pass. Where to look is told by their beginnings: of few of them by a pattern, of many,
 * with which a pattern would be slow at every place, by their sums. Whole texts would make a pattern that the language refuses, with an error
 * that shows them. Many that begin alike are told apart by beginnings twice as long, again and again: what a place costs does not grow with
 * their number, whoever made the text.
 */

/** Of a beginning by which those are found that may stand at a place. The shortest text has as many. */
const HEAD = 4
/** Of one that is compared before the whole is: what agrees so far is compared at length. */
const LONG_HEAD = 64
/** So many are compared one by one. */
const FEW = 4
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

/** Texts that begin alike. */
interface Bucket {
  /** Compared one by one, the longest first. */
  readonly few: readonly Sought[]
  /** Where they are many: those that end before the next beginning does, by their lengths, the longest first. */
  readonly ends: readonly (readonly [length: number, texts: ReadonlySet<string>])[]
  /** The others, by beginnings twice as long. */
  readonly further: ReadonlyMap<string, Bucket> | undefined
}

export class SecretSearch {
  readonly #byHead: ReadonlyMap<string, Bucket>
  /** The next place at which one may stand, from here on; -1: there is none. */
  readonly #next: (text: string, from: number) => number
  #steps = 0

  /** Each of `texts` has four characters or more. */
  constructor(texts: Iterable<string>) {
    this.#byHead = bucketsOf(new Set(texts), HEAD)
    const heads = [...this.#byHead.keys()]
    this.#next = heads.length <= MOST_IN_PATTERN ? byPattern(heads) : bySums(heads)
  }

  /** How often something was compared until now. */
  get steps(): number {
    return this.#steps
  }

  /** The text with `instead` in the place of each that is found, the longest first. */
  replace(text: string, instead: string): string {
    let [kept, from, inVain] = ['', 0, 0]
    for (let at = this.#next(text, 0); at >= 0; at = this.#next(text, Math.max(at + 1, from))) {
      const { length, alike } = this.#find(text, at)
      if (length === 0) {
        inVain += alike
        if (inVain > MOST_IN_VAIN) return instead
        continue
      }
      kept += text.slice(from, at) + instead
      from = at + length
    }
    return from === 0 ? text : kept + text.slice(from)
  }

  /** How long the one is that stands there, 0: none does; and how many were compared at length. */
  #find(text: string, at: number): { readonly length: number; readonly alike: number } {
    let [length, alike] = [0, 0]
    let bucket = this.#at(this.#byHead, text, at, HEAD)
    for (let head = HEAD * 2; bucket !== undefined; head *= 2) {
      for (const sought of bucket.few) {
        this.#steps += 1
        if (!text.startsWith(sought.longHead, at)) continue
        alike += 1
        if (!text.startsWith(sought.text, at)) continue
        length = sought.text.length
        break
      }
      for (const [end, texts] of bucket.ends) {
        this.#steps += 1
        if (end > LONG_HEAD) alike += 1
        if (!texts.has(text.slice(at, at + end))) continue
        length = end
        break
      }
      if (bucket.further !== undefined && head > LONG_HEAD) alike += 1
      bucket = bucket.further && this.#at(bucket.further, text, at, head)
    }
    return { length, alike }
  }

  #at(buckets: ReadonlyMap<string, Bucket>, text: string, at: number, head: number): Bucket | undefined {
    this.#steps += 1
    return buckets.get(text.slice(at, at + head))
  }
}

/** By their first `head` characters, which each of them has. */
function bucketsOf(texts: Iterable<string>, head: number): ReadonlyMap<string, Bucket> {
  const alike = new Map<string, string[]>()
  for (const text of texts) {
    const start = text.slice(0, head)
    const known = alike.get(start)
    if (known === undefined) alike.set(start, [text])
    else known.push(text)
  }
  return new Map([...alike].map(([start, each]) => [start, bucketOf(each, head)]))
}

function bucketOf(texts: readonly string[], head: number): Bucket {
  if (texts.length <= FEW) {
    const longestFirst = [...texts].sort((a, b) => b.length - a.length)
    const few = longestFirst.map((text) => ({ text, longHead: text.slice(0, LONG_HEAD) }))
    return { few, ends: [], further: undefined }
  }
  const ends = new Map<number, Set<string>>()
  for (const text of texts)
    if (text.length < head * 2) ends.set(text.length, (ends.get(text.length) ?? new Set()).add(text))
  const longer = texts.filter(({ length }) => length >= head * 2)
  return {
    few: [],
    ends: [...ends].sort(([a], [b]) => b - a),
    further: longer.length === 0 ? undefined : bucketsOf(longer, head * 2),
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
