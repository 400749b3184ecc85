/** Whoever writes longer ones did not mistype. */
const LONGEST_NAME = 100
/** Pairs of letters that may be compared for one name: a document may have thousands of wrong ones, and of right ones. */
const MOST_PAIRS = 100_000

/** The known name that was probably meant, or `undefined` when none is close, or would be found too late. Ties go to the first. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  let pairs = 0
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    pairs += name.length * candidate.length
    if (pairs > MOST_PAIRS) break
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** ` Did you mean "…"?` or nothing. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : `. Did you mean "${nearest}"?`
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(change, above[column]! + 1, current[column - 1]! + 1))
    }
    above = current
  }
  return above[b.length]!
}
