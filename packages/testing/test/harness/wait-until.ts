import { setTimeout as delay } from 'node:timers/promises'

const LONGEST_WAIT_MS = 60_000

/** Looks again and again until `look` finds something true. */
export async function waitUntil<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`)
    await delay(20)
  }
}
