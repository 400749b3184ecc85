/** What the workers and the resource wrote down. Moments are nanoseconds of the machine's monotonic clock, which all processes share. */
export interface Stint {
  readonly worker: string
  readonly fence: bigint
  /** Just before it asked for the lock. */
  readonly askedAt: bigint
  /** When it had the lock. */
  readonly startedAt: bigint
  /** Moments at which it was about to ask `assertHeld`, which then said yes. */
  readonly trusted: readonly bigint[]
  /** When `lease.signal` fired. */
  readonly signalAt?: bigint
  /** Absent: the process died first. */
  readonly endedAt?: bigint
  readonly outcome?: string
}

/** In the order in which the resource took or refused them. */
export interface Write {
  readonly worker: string
  readonly fence: bigint
  readonly accepted: boolean
}

interface Line {
  readonly worker: string
  readonly fence: string
  readonly event: 'started' | 'trusted' | 'signal' | 'ended'
  readonly at: string
  readonly askedAt?: string
  readonly outcome?: string
}

/** Reads the log. A process that is killed may leave half a line at the end of what it wrote. */
export function readStints(log: string): Stint[] {
  const stints = new Map<string, { -readonly [Key in keyof Stint]: Stint[Key] } & { trusted: bigint[] }>()
  for (const text of log.split('\n')) {
    const line = parse(text)
    if (line === undefined) continue
    const key = `${line.worker} ${line.fence}`
    const at = BigInt(line.at)
    const stint = stints.get(key)
    if (line.event === 'started') {
      const again = stint === undefined ? key : `${key} again ${stints.size}`
      const askedAt = BigInt(line.askedAt ?? line.at)
      stints.set(again, { worker: line.worker, fence: BigInt(line.fence), askedAt, startedAt: at, trusted: [] })
    } else if (stint !== undefined) {
      if (line.event === 'trusted') stint.trusted.push(at)
      else if (line.event === 'signal') stint.signalAt = at
      else {
        stint.endedAt = at
        if (line.outcome !== undefined) stint.outcome = line.outcome
      }
    }
  }
  return [...stints.values()].sort((one, two) => (one.startedAt < two.startedAt ? -1 : 1))
}

function parse(text: string): Line | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Line)
  } catch {
    return undefined
  }
}
