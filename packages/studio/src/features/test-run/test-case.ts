/** A run of a draft that is kept under a name: what it is begun with, and how it is expected to end. Pure. */
import type { Pins } from './pins.ts'

export interface Ending {
  readonly status: string
  readonly output: unknown
}

export interface TestCase {
  readonly name: string
  readonly input: unknown
  readonly pins: Pins
  /** The last step to run; all of them unless told. */
  readonly until?: string
  readonly expected: Ending
}

export const LONGEST_NAME = 80
/** Of one workflow. */
export const MOST_CASES = 50

/** One of the same name is replaced; a new one comes last. `undefined`: there are too many. */
export function withCase(cases: readonly TestCase[], next: TestCase): readonly TestCase[] | undefined {
  const at = cases.findIndex(({ name }) => name === next.name)
  if (at !== -1) return cases.with(at, next)
  return cases.length >= MOST_CASES ? undefined : [...cases, next]
}

/** What is not as expected, as a sentence each; none: it passed. */
export function differences(expected: Ending, found: Ending): readonly string[] {
  if (found.status !== expected.status) return [`It was ${found.status}, and not ${expected.status}.`]
  if (equalJson(expected.output, found.output)) return []
  return [`Its output was ${short(found.output)}, and not ${short(expected.output)}.`]
}

const LONGEST_TEXT = 120

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}

/** Whatever the order of members is: a store may have another one. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return (a ?? null) === (b ?? null)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [ours, theirs] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    ours.length === theirs.size && ours.every(([name, value]) => theirs.has(name) && equalJson(value, theirs.get(name)))
  )
}

/** What was kept, as far as it can still be read. */
export function readCases(text: string | null): readonly TestCase[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(found) ? found.filter(isCase).slice(0, MOST_CASES) : []
  } catch {
    return []
  }
}

function isCase(value: unknown): value is TestCase {
  const { name, pins, expected } = (value ?? {}) as Partial<TestCase>
  return typeof name === 'string' && typeof pins === 'object' && pins !== null && typeof expected?.status === 'string'
}
