/**
 * Patterns in schemas are written by authors and held against what strangers send. The host's engine goes back and tries a text in every way in
 * which it can be read, and of some patterns (`^(a+)+$`) there are more ways than there are seconds: one form would stop a node. The host is
 * asked only where it cannot go back far; all others are run as sets of places.
 */
import { LooksAround, type Pattern, parsePattern } from './parse-pattern.ts'
import { MOST_STEPS, type PatternMachine, patternMachine, type Spend, stepCount } from './pattern-machine.ts'

export interface BoundedPattern {
  /** Places in it that are kept in memory once it has run: none where the host can be asked. */
  readonly size: number
  /** `spend` learns what it costs, and may throw to end it. */
  test(text: string, spend: Spend): boolean
}

/** Ways in which one place of a text may be read before the host is not asked any more. */
const MOST_WAYS = 1_000
/** Signs that the host may have to look at before one that can also be run as places is: a millisecond. */
const MOST_OF_HOST = 100_000
/** The host is that much faster. */
const LOOKS_A_STEP = 16

/** Throws what the host throws of a pattern that is none, and of one that nobody can run in bounded time. */
export function boundedPattern(source: string): BoundedPattern {
  const host = new RegExp(source, 'u')
  const pattern = parsed(source)
  const { looks, isShort } = readings(pattern)
  const steps = stepCount(pattern)
  if (!isShort && steps > MOST_STEPS)
    throw new Error(`pattern "${source.slice(0, 80)}" counts too far: use maxLength, or smaller counts`)
  let machine: PatternMachine | undefined
  const byPlaces = (text: string, spend: Spend): boolean => {
    if (machine === undefined) spend(steps)
    machine ??= patternMachine(pattern)
    return machine(text, spend)
  }
  return {
    size: isShort ? 0 : steps,
    test: (text, spend) => {
      const most = isShort ? looks(text.length) : Number.POSITIVE_INFINITY
      if (most > MOST_OF_HOST && steps <= MOST_STEPS) return byPlaces(text, spend)
      spend(1 + most / LOOKS_A_STEP)
      return host.test(text)
    },
  }
}

function parsed(source: string): Pattern {
  try {
    return parsePattern(source)
  } catch (error) {
    if (!(error instanceof LooksAround)) throw error
    throw new Error(
      `pattern "${source.slice(0, 80)}" looks around or refers back, which can take endless time: write it without (?=, (?!, (?<=, (?<! and \\1`,
    )
  }
}

interface Readings {
  /** What the host looks at, at most, in a text of so many units. */
  readonly looks: (length: number) => number
  readonly isShort: boolean
}

/** One that begins at the start may repeat a sign without end once; others begin anew at every place of the text. */
function readings(pattern: Pattern): Readings {
  const { ways, endless, signs } = waysOf(pattern)
  const [first] = pattern.kind === 'sequence' ? pattern.parts : []
  const isAnchored = first?.kind === 'place' && first.place === 'start'
  const isBounded = isAnchored && endless === 0
  return {
    looks: (length) => ways * (signs + 1) * (isBounded ? 1 : length + 1),
    isShort: ways <= MOST_WAYS && endless <= (isAnchored ? 1 : 0),
  }
}

interface Ways {
  readonly ways: number
  /** Repetitions that have no end. */
  readonly endless: number
  /** In one reading, those apart that have no end. */
  readonly signs: number
}

function waysOf(pattern: Pattern): Ways {
  switch (pattern.kind) {
    case 'sign':
      return { ways: 1, endless: 0, signs: 1 }
    case 'place':
      return { ways: 1, endless: 0, signs: 0 }
    case 'sequence':
      return pattern.parts.map(waysOf).reduce(
        (sum, each) => ({
          ways: sum.ways * each.ways,
          endless: sum.endless + each.endless,
          signs: sum.signs + each.signs,
        }),
        { ways: 1, endless: 0, signs: 0 },
      )
    case 'either':
      return pattern.parts.map(waysOf).reduce(
        (sum, each) => ({
          ways: sum.ways + each.ways,
          endless: sum.endless + each.endless,
          signs: Math.max(sum.signs, each.signs),
        }),
        { ways: 0, endless: 0, signs: 0 },
      )
    case 'repeat': {
      const { part, least, most } = pattern
      const isOfSigns = part.kind === 'sign'
      if (most === Number.POSITIVE_INFINITY) return { ways: 1, endless: isOfSigns ? 1 : 2, signs: least }
      const inner = waysOf(part)
      // A group is gone through anew in each of its turns.
      return {
        ways: isOfSigns ? most - least + 1 : (inner.ways + 1) ** Math.min(most, 64),
        endless: inner.endless * most,
        signs: inner.signs * most,
      }
    }
  }
}
