import { setTimeout as delay } from 'node:timers/promises'

/** A busy machine is slow, not broken. */
const LONGEST_WAIT_MS = 60_000

/** Looks again and again until `look` finds something true; says in vain what for. */
export async function until<T>(what: string, look: () => T | Promise<T>, limitMs = LONGEST_WAIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`)
    await delay(15)
  }
}
