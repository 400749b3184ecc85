import type { Clock, Timer } from '@lockstep/base'

interface Look {
  readonly promise: Promise<void>
  end(): void
}

/** When those who came before their bookmark should ask for it again: together, when it may be there, or after a while. */
export class ResumeLooks {
  readonly #clock: Pick<Clock, 'schedule'>
  /** By instance. */
  readonly #looks = new Map<string, Look>()

  constructor(clock: Pick<Clock, 'schedule'>) {
    this.#clock = clock
  }

  /** Settles after `ms` at the latest, for all who wait for this instance at the same time. */
  next(instanceId: string, ms: number): Promise<void> {
    const look = this.#looks.get(instanceId) ?? this.#begin(instanceId, ms)
    return look.promise
  }

  /** This node has committed something of the instance that may be what they wait for. */
  moved(instanceId: string): void {
    if (this.#looks.size > 0) this.#looks.get(instanceId)?.end()
  }

  #begin(instanceId: string, ms: number): Look {
    let timer: Timer | undefined
    let end = (): void => {}
    const promise = new Promise<void>((resolve) => {
      end = () => {
        timer?.cancel()
        this.#looks.delete(instanceId)
        resolve()
      }
      timer = this.#clock.schedule(ms, end)
    })
    const look = { promise, end }
    this.#looks.set(instanceId, look)
    return look
  }
}
