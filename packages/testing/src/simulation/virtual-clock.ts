import type { Clock, Timer } from '@lockstep/base'
import { drainPromises, turnEventLoop } from './drain.ts'
import { EventQueue, type QueuedEvent } from './event-queue.ts'

export interface VirtualClockOptions {
  /** Wall time at virtual moment 0, in milliseconds since 1970. @default 2026-01-01T00:00:00Z */
  readonly startAt?: number
}

export interface ClockViewOptions {
  /** How far the wall clock of this node is ahead of the others. @default 0 */
  readonly skewMs?: number
  readonly paused?: boolean
}

/** The clock of one virtual node. What it has scheduled shares the node's fate. */
export interface NodeClock extends Clock {
  readonly state: 'running' | 'paused' | 'stopped'
  /** SIGSTOP: nothing of this node happens until `resume`; then everything that fell due meanwhile does, in order. */
  pause(): void
  resume(): void
  /** SIGKILL: nothing of this node ever happens again. */
  stop(): void
  /** Moves the wall clock; `monotonic` and timers do not notice. */
  setSkew(skewMs: number): void
}

/** Time that passes only when the driver says so. Between two events every promise continuation has run. */
export interface VirtualClock extends Clock {
  /** Runs everything up to a moment of `monotonic` time, and leaves the clock there. */
  runUntil(moment: number): Promise<void>
  advance(ms: number): Promise<void>
  /**
   * Runs until only background timers (without `keepAlive`) are left, as a process would before it exits.
   * `false`: something was still going on after `limitMs`.
   */
  runUntilIdle(limitMs?: number): Promise<boolean>
  view(options?: ClockViewOptions): NodeClock
  /** Events that have happened, of all views. */
  readonly events: number
}

interface Entry extends QueuedEvent {
  readonly owner: View
  readonly run: () => void
  readonly keepAlive: boolean
}

interface View extends NodeClock {
  state: 'running' | 'paused' | 'stopped'
  readonly held: Entry[]
}

/** 2026-01-01T00:00:00Z */
const DEFAULT_START = 1_767_225_600_000
const EVENTS_PER_LOOP_TURN = 4_096

export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { startAt = DEFAULT_START } = options
  const queue = new EventQueue<Entry>()
  let moment = 0
  let orders = 0
  let events = 0
  let lively = 0
  let running = false

  const add = (owner: View, at: number, run: () => void, keepAlive: boolean): Entry => {
    const entry: Entry = { at, order: orders++, cancelled: false, owner, run, keepAlive }
    if (owner.state === 'stopped') entry.cancelled = true
    else {
      if (keepAlive) lively += 1
      queue.push(entry)
    }
    return entry
  }

  const forget = (entry: Entry): void => {
    if (entry.cancelled) return
    entry.cancelled = true
    if (entry.keepAlive) lively -= 1
  }

  const happen = (entry: Entry): void => {
    const { owner } = entry
    if (owner.state === 'paused') {
      owner.held.push(entry)
      return
    }
    forget(entry)
    if (owner.state === 'stopped') return
    events += 1
    entry.run()
  }

  const runWhile = async (goOn: (next: Entry) => boolean): Promise<void> => {
    if (running) throw new Error('this clock is being driven already: await the driver before you call it again')
    running = true
    try {
      await Promise.resolve() // from here on this is a microtask itself, which is what draining counts on
      await drainPromises()
      for (let next = queue.peek(); next !== undefined && goOn(next); next = queue.peek()) {
        queue.pop()
        moment = Math.max(moment, next.at)
        const before = events
        happen(next)
        if (events === before) continue
        await drainPromises()
        if (events % EVENTS_PER_LOOP_TURN === 0) await turnEventLoop()
      }
    } finally {
      running = false
    }
  }

  const view = ({ skewMs = 0, paused = false }: ClockViewOptions = {}): View => {
    let skew = skewMs
    const self: View = {
      state: paused ? 'paused' : 'running',
      held: [],
      now: () => startAt + moment + skew,
      monotonic: () => moment,
      schedule: (delayMs, run, timerOptions = {}): Timer => {
        const delay = delayMs > 0 ? delayMs : 0
        const entry = add(self, moment + delay, run, timerOptions.keepAlive === true)
        return {
          cancel: () => {
            if (entry.cancelled) return
            forget(entry)
            if (!self.held.includes(entry)) queue.noteCancelled()
          },
        }
      },
      // Before every timer of this moment, whoever set it: -Infinity sorts first and does not move the clock.
      soon: (run) => void add(self, Number.NEGATIVE_INFINITY, run, true),
      pause: () => {
        if (self.state === 'running') self.state = 'paused'
      },
      resume: () => {
        if (self.state !== 'paused') return
        self.state = 'running'
        for (const entry of self.held.splice(0)) {
          if (entry.cancelled) continue
          entry.at = Math.min(entry.at, moment)
          queue.push(entry)
        }
      },
      stop: () => {
        self.state = 'stopped'
        for (const entry of self.held.splice(0)) forget(entry)
        queue.discard((entry) => {
          if (entry.owner !== self) return false
          forget(entry)
          return true
        })
      },
      setSkew: (ms) => {
        skew = ms
      },
    }
    return self
  }

  const own = view()
  return {
    now: own.now,
    monotonic: own.monotonic,
    schedule: own.schedule,
    soon: own.soon,
    view,
    get events() {
      return events
    },
    runUntil: async (until) => {
      await runWhile((next) => next.at <= until)
      moment = Math.max(moment, until)
    },
    advance: async (ms) => {
      const until = moment + ms
      await runWhile((next) => next.at <= until)
      moment = Math.max(moment, until)
    },
    runUntilIdle: async (limitMs = 3_600_000) => {
      const until = moment + limitMs
      await runWhile((next) => lively > 0 && next.at <= until)
      return lively === 0
    },
  }
}
