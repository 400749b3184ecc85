/**
 * Runs a pattern as the set of places in it at which a text could stand, which moves on by one sign at a time. However a pattern is written, a
 * text is gone through once, and never tried again in another way.
 */
import type { Pattern, Place } from './parse-pattern.ts'

interface Step {
  /** Whether a sign is what is wanted here. Absent: nothing is taken. */
  readonly fits?: (sign: string) => boolean
  readonly place?: Place
  readonly next: number[]
}

/** What a pattern may grow to when its counts are written out. */
export const MOST_STEPS = 5_000

/** Learns what something costs, and may throw to end it. */
export type Spend = (steps: number) => void

/** Whether a text has the pattern somewhere. */
export type PatternMachine = (text: string, spend: Spend) => boolean

/** Of a pattern that has no more than `MOST_STEPS`. Texts of more than `long` units are gone through with a table of what was met. */
export function patternMachine(pattern: Pattern, long = LONG): PatternMachine {
  const steps: Step[] = [{ next: [] }] // the first one is the end
  const tests = new Map<string, (sign: string) => boolean>()
  const first = stepsOf(pattern, 0, steps, (source) => {
    const fits = tests.get(source) ?? signTest(source)
    tests.set(source, fits)
    return fits
  })
  return (text, spend) => holds(steps, first, text, text.length > long, spend)
}

/** How many steps a pattern is when its counts are written out. */
export function stepCount(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'sign':
    case 'place':
      return 1
    case 'sequence':
      return pattern.parts.reduce((sum, part) => sum + stepCount(part), 0)
    case 'either':
      return pattern.parts.reduce((sum, part) => sum + stepCount(part), 1)
    case 'repeat': {
      const { part, least, most } = pattern
      const inner = stepCount(part)
      return least * inner + (most === Number.POSITIVE_INFINITY ? 1 + inner : (most - least) * (1 + inner))
    }
  }
}

/** Answers where `pattern` begins, when `next` follows it. */
function stepsOf(pattern: Pattern, next: number, steps: Step[], testOf: typeof signTest): number {
  const add = (step: Step): number => steps.push(step) - 1
  switch (pattern.kind) {
    case 'sign':
      return add({ fits: testOf(pattern.source), next: [next] })
    case 'place':
      return add({ place: pattern.place, next: [next] })
    case 'sequence':
      return pattern.parts.reduceRight((follows, part) => stepsOf(part, follows, steps, testOf), next)
    case 'either':
      return add({ next: pattern.parts.map((part) => stepsOf(part, next, steps, testOf)) })
    case 'repeat': {
      const { part, least, most } = pattern
      let follows = next
      if (most === Number.POSITIVE_INFINITY) {
        const turn: Step = { next: [next] }
        follows = add(turn)
        turn.next.push(stepsOf(part, follows, steps, testOf))
      } else
        for (let n = least; n < most; n += 1) follows = add({ next: [next, stepsOf(part, follows, steps, testOf)] })
      for (let n = 0; n < least; n += 1) follows = stepsOf(part, follows, steps, testOf)
      return follows
    }
  }
}

/** The host decides what a sign is; it is asked once for each of the usual ones. */
function signTest(source: string): (sign: string) => boolean {
  const whole = new RegExp(`^(?:${source})$`, 'u')
  const known: (boolean | undefined)[] = []
  return (sign) => {
    const code = sign.charCodeAt(0)
    if (sign.length > 1 || code > 255) return whole.test(sign)
    known[code] ??= whole.test(sign)
    return known[code]
  }
}

/** Texts that are shorter are done before a table of what was met pays. */
const LONG = 64
/** Places that a table may hold, in all its sets together. */
const MOST_KEPT = 100_000
const KNOWN_A_STEP = 8

/** Where a text may stand before its next sign. What was once found to follow it is kept while the same text is gone through. */
interface Standing {
  readonly open: readonly number[]
  readonly before: string
  readonly known: Map<string, Standing | 'found'>
}

function holds(steps: readonly Step[], first: number, text: string, isLong: boolean, spend: Spend): boolean {
  /** In which round a step was last stood at: a set that is never emptied. */
  const seen = new Uint32Array(steps.length)
  const standings = new Map<string, Standing>()
  let [round, kept] = [0, 0]
  let standing: Standing = { open: [], before: '', known: new Map() }

  const look = (sign: string): Standing | 'found' => {
    round += 1
    let looks = 0
    const after: number[] = []
    const open = [...standing.open, first]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen[at] === round) continue
      seen[at] = round
      looks += 1
      if (at === 0) return 'found'
      const { fits, place, next } = steps[at]!
      if (fits !== undefined) {
        if (fits(sign)) after.push(next[0]!)
      } else if (place === undefined || isAt(place, standing.before, sign)) open.push(...next)
    }
    spend(looks)
    return standingAt(after, sign)
  }
  /** All that matters of the sign before is whether a word goes on. */
  const standingAt = (after: readonly number[], sign: string): Standing => {
    const before = WORD.test(sign) ? 'a' : ' '
    if (!isLong || kept > MOST_KEPT) return { open: after, before, known: new Map() }
    const open = [...new Set(after)].sort((a, b) => a - b)
    const key = `${before}${open.join()}`
    const present = standings.get(key)
    if (present !== undefined) return present
    kept += open.length + 1
    const made = { open, before, known: new Map() }
    standings.set(key, made)
    return made
  }

  for (const sign of signsOf(text)) {
    const known = standing.known.get(sign)
    if (known !== undefined) spend(1 / KNOWN_A_STEP)
    const next = known ?? look(sign)
    if (next === 'found') return true
    if (known === undefined && isLong && kept <= MOST_KEPT) {
      kept += 1
      standing.known.set(sign, next)
    }
    standing = next
  }
  return false
}

/** Its signs, and '' for its end. */
function* signsOf(text: string): Generator<string, void, void> {
  yield* text
  yield ''
}

const WORD = /^\w$/

function isAt(place: Place, before: string, after: string): boolean {
  switch (place) {
    case 'start':
      return before === ''
    case 'end':
      return after === ''
    case 'word-edge':
      return WORD.test(before) !== WORD.test(after)
    case 'no-word-edge':
      return WORD.test(before) === WORD.test(after)
  }
}
