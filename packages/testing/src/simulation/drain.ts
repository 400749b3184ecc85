/**
 * Resolves when no promise has anything left to do. A tick asked for by a microtask comes after the last microtask,
 * however long their chain is, and costs no turn of the event loop.
 */
export function drainPromises(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/** One turn of the real event loop: keeps a long simulation from starving whoever else lives in the process. */
export function turnEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
