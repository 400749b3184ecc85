/** Tells whoever asks to be woken in a while; the answer calls it off. */
type After = (ms: number, run: () => void) => unknown

/**
 * Names that something happened to, handed on at once, and from then on at most every `ms`: the first thing that happens is seen
 * without delay, and however much follows costs no more than one reading in that time.
 */
export function paced(ms: number, after: After, flush: (names: readonly string[]) => void): (name: string) => void {
  const waiting = new Set<string>()
  let resting = false
  const hand = (): void => {
    resting = waiting.size > 0
    if (!resting) return
    const names = [...waiting]
    waiting.clear()
    after(ms, hand)
    flush(names)
  }
  return (name) => {
    waiting.add(name)
    if (resting) return
    resting = true
    // What one message brings is handed on together.
    after(0, hand)
  }
}
