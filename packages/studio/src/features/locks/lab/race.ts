import type { Move, MoveKind, WorkerName } from './lab-model.ts'

export interface LabSettings {
  readonly ttlMs: number
  readonly workMs: number
  readonly renew: boolean
}

export interface HeldInLab {
  readonly track: number
  readonly fence: string
  readonly token: string
  readonly ttlMs: number
}

/** What the server does for a worker. */
export interface LabCalls {
  acquire(
    asked: { readonly track: number; readonly worker: WorkerName; readonly ttlMs: number },
    signal: AbortSignal,
  ): Promise<{ readonly fence: string | null; readonly token: string | null }>
  renew(held: HeldInLab): Promise<'renewed' | 'lost'>
  release(held: HeldInLab): Promise<'released' | 'lost'>
  write(
    track: number,
    fence: string,
  ): Promise<{ readonly outcome: 'written' | 'refused'; readonly seen: string | null }>
}

export interface RaceTime {
  monotonic(): number
  /** The answer calls it off. */
  after(ms: number, run: () => void): () => void
}

export interface RaceOptions {
  readonly calls: LabCalls
  readonly time: RaceTime
  readonly track: number
  readonly workers: readonly WorkerName[]
  /** As they are when a worker is granted the lock. */
  readonly settings: () => LabSettings
  readonly onMove: (move: Move) => void
  readonly onEnd: () => void
  /** A call failed. The worker asks again; whoever hears this may stop the race. */
  readonly onError: (error: unknown) => void
}

/** A race ends by itself: a page that was forgotten asks for nothing. */
export const LONGEST_RACE_MS = 60_000
const REST_MS = 400
const AGAIN_MS = 1_000
/** A sleeper wakes when its lease is surely over. */
const SLEEP_TTLS = 2

type Wake = 'over' | 'crash' | 'lost' | 'stop'

/** Workers that race for one lock. Each asks, writes, works, writes again and gives the lock back, until the race is stopped. */
export class Race {
  readonly #o: RaceOptions
  readonly #startedAt: number
  readonly #asking = new AbortController()
  readonly #pauses = new Map<WorkerName, (why: Wake) => void>()
  readonly #crashing = new Set<WorkerName>()
  #isOver = false
  #callOff: () => void = () => {}

  constructor(options: RaceOptions) {
    this.#o = options
    this.#startedAt = options.time.monotonic()
  }

  /** Since it began. */
  now(): number {
    return this.#o.time.monotonic() - this.#startedAt
  }

  start(): void {
    this.#callOff = this.#o.time.after(LONGEST_RACE_MS, () => this.stop())
    void Promise.all(this.#o.workers.map((worker) => this.#run(worker))).then(this.#o.onEnd)
  }

  /** Whoever holds the lock falls asleep: renews nothing, gives nothing back, and wakes too late. */
  crash(worker: WorkerName): void {
    this.#crashing.add(worker)
    this.#pauses.get(worker)?.('crash')
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#callOff()
    this.#asking.abort()
    for (const wake of [...this.#pauses.values()]) wake('stop')
  }

  async #run(worker: WorkerName): Promise<void> {
    while (!this.#isOver) {
      try {
        const held = await this.#acquire(worker)
        if (held !== undefined) await this.#hold(worker, held)
      } catch (error) {
        if (!this.#isOver) {
          this.#tell(worker, 'unanswered')
          this.#o.onError(error)
        }
        await this.#pause(worker, AGAIN_MS)
      }
      await this.#pause(worker, REST_MS)
    }
    this.#tell(worker, 'left')
  }

  async #acquire(worker: WorkerName): Promise<HeldInLab | undefined> {
    const { track } = this.#o
    this.#tell(worker, 'asked')
    while (!this.#isOver) {
      const { ttlMs } = this.#o.settings()
      const { fence, token } = await this.#o.calls.acquire({ track, worker, ttlMs }, this.#asking.signal)
      if (fence !== null && token !== null) return { track, fence, token, ttlMs }
    }
    return undefined
  }

  async #hold(worker: WorkerName, held: HeldInLab): Promise<void> {
    this.#crashing.delete(worker)
    this.#tell(worker, 'granted', held)
    const lease = this.#watch(worker, held)
    try {
      await this.#write(worker, held)
      const why = await this.#pause(worker, this.#o.settings().workMs)
      if (why === 'lost') return this.#tell(worker, 'lost', held)
      if (why === 'stop') return void (await this.#o.calls.release(held))
      if (why === 'crash') {
        lease.forget()
        this.#tell(worker, 'crashed', held)
        await this.#pause(worker, SLEEP_TTLS * held.ttlMs)
        if (this.#isOver) return
        this.#tell(worker, 'woke', held)
      }
      if (!(await this.#write(worker, held))) return
      this.#tell(worker, await this.#o.calls.release(held), held)
    } finally {
      lease.end()
    }
  }

  async #write(worker: WorkerName, held: HeldInLab): Promise<boolean> {
    const { outcome, seen } = await this.#o.calls.write(held.track, held.fence)
    this.#o.onMove({ at: this.now(), worker, kind: outcome, fence: held.fence, seen: seen ?? undefined })
    return outcome === 'written'
  }

  /** Renews the lease, where that is wanted, and notes when it can have ended. */
  #watch(worker: WorkerName, held: HeldInLab): { forget(): void; end(): void } {
    const { time, calls, settings } = this.#o
    let isCared = settings().renew
    let offRenewal = (): void => {}
    const expire = (): (() => void) => time.after(held.ttlMs, () => this.#tell(worker, 'expired', held))
    let offExpiry = expire()
    const renewed = (outcome: 'renewed' | 'lost'): void => {
      if (!isCared) return
      if (outcome === 'lost') return this.#pauses.get(worker)?.('lost')
      this.#tell(worker, 'renewed', held)
      offExpiry()
      offExpiry = expire()
      offRenewal = later()
    }
    const later = (): (() => void) =>
      time.after(held.ttlMs / 3, () => {
        // One that was not answered is made again: the lease lives for two more of them.
        calls.renew(held).then(renewed, () => {
          if (isCared) offRenewal = later()
        })
      })
    if (isCared) offRenewal = later()
    const forget = (): void => {
      isCared = false
      offRenewal()
    }
    return {
      forget,
      end: () => {
        forget()
        offExpiry()
      },
    }
  }

  #pause(worker: WorkerName, ms: number): Promise<Wake> {
    if (this.#isOver) return Promise.resolve('stop')
    if (this.#crashing.delete(worker)) return Promise.resolve('crash')
    return new Promise((resolve) => {
      const callOff = this.#o.time.after(ms, () => wake('over'))
      const wake = (why: Wake): void => {
        callOff()
        this.#pauses.delete(worker)
        this.#crashing.delete(worker)
        resolve(why)
      }
      this.#pauses.set(worker, wake)
    })
  }

  #tell(worker: WorkerName, kind: MoveKind, held?: HeldInLab): void {
    this.#o.onMove({ at: this.now(), worker, kind, fence: held?.fence })
  }
}
