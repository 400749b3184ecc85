import type { Clock } from '@lockstep/base'

const WINDOW_MS = 60_000
/** A window that has only begun says little: the reading itself is half of it. */
const SETTLED_MS = 10_000

/**
 * Figures of lately: the worse ones of this minute and of the last. Taken since the process began they would not rise in a bad hour of a
 * good week, nor fall again after a bad one. Windows turn when they are read, so nothing runs for them.
 */
export function recently<Name extends string>(
  clock: Pick<Clock, 'monotonic'>,
  take: () => Readonly<Record<Name, number>>,
  restart: () => void,
): () => Readonly<Record<Name, number>> {
  let since = clock.monotonic()
  let before: Readonly<Record<Name, number>> | undefined
  return () => {
    const age = clock.monotonic() - since
    if (before !== undefined && age < SETTLED_MS) return before
    const now = take()
    const told = before === undefined ? now : worse(now, before)
    if (age < WINDOW_MS) return told
    before = now
    since = clock.monotonic()
    restart()
    return told
  }
}

function worse<Name extends string>(a: Readonly<Record<Name, number>>, b: Readonly<Record<Name, number>>) {
  const names = Object.keys(a) as Name[]
  return Object.fromEntries(names.map((name) => [name, Math.max(a[name], b[name])])) as Record<Name, number>
}
