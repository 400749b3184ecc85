import { closeSync, openSync, readlinkSync, readSync } from 'node:fs'

/**
 * How long a thread of this process has had a processor, in milliseconds. A limit by the clock on the wall would stop sound programs where
 * the machine is busy with something else.
 */
export interface ThreadTime {
  /** NaN where the system does not tell: elsewhere than on Linux, or where its kernel keeps no count. */
  workedMs(): number
  close(): void
}

const unknown: ThreadTime = { workedMs: () => Number.NaN, close: () => {} }

/** Where the system tells it of the thread that asks; `undefined` where it does not. */
export function ownThread(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
  } catch {
    return undefined
  }
}

/** Kept open: one look is one call of the system. */
export function threadTime(place: string | undefined): ThreadTime {
  if (place === undefined) return unknown
  const text = Buffer.alloc(64)
  let file: number
  try {
    file = openSync(place, 'r')
  } catch {
    return unknown
  }
  return {
    workedMs() {
      try {
        const length = readSync(file, text, 0, text.length, 0)
        const worked = Number.parseInt(text.toString('latin1', 0, length), 10)
        return worked > 0 ? worked / 1e6 : Number.NaN // nothing: the kernel does not count, for whoever is asked about has run
      } catch {
        return Number.NaN // the thread is gone
      }
    },
    close: () => closeSync(file),
  }
}
