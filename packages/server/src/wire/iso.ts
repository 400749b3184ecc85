interface Told {
  readonly ms: number
  readonly text: string
}

let last: Told = { ms: 0, text: '1970-01-01T00:00:00.000Z' }
let before = last

/** What was committed together has one time, and an instance two: the last two texts are kept. */
export function iso(ms: number | undefined): string | null {
  if (ms === undefined) return null
  if (ms === last.ms) return last.text
  if (ms === before.ms) return before.text
  before = last
  last = { ms, text: new Date(ms).toISOString() }
  return last.text
}
