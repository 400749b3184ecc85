import type { Timer } from '@lockstep/base'
import { defineFault, type Fault, type Lift, requireAtLeast } from './fault.ts'
import { refuse } from './refuse.ts'
import { reset } from './reset.ts'

export interface FlapOptions {
  readonly upMs: number
  readonly downMs: number
  /** What "down" means. @default present connections are reset and new ones refused */
  readonly down?: readonly Fault<unknown>[]
}

export interface FlapLanding {
  /** Counts from 1. */
  readonly outage: number
}

/** The link goes down at once, comes back, goes down again, until removed. It strikes with every outage. */
export function flap(options: FlapOptions): Fault<FlapLanding> {
  const { upMs, downMs, down = [reset(), refuse()] } = options
  requireAtLeast('upMs', 1, upMs)
  requireAtLeast('downMs', 1, downMs)
  return defineFault('flap', (site, land) => {
    let timer: Timer
    let lifts: Lift[] = []
    let comingUp: Promise<unknown> = Promise.resolve()
    let outage = 0
    let removed = false

    const lift = (): Promise<unknown> => {
      const mine = lifts
      lifts = []
      if (mine.length > 0) comingUp = Promise.all(mine.map((each) => each()))
      return comingUp
    }
    const goDown = (): void => {
      lifts = down.map((fault) => fault.apply(site))
      land({ outage: ++outage })
      timer = site.clock.schedule(downMs, () => void goUp(), { keepAlive: true })
    }
    const goUp = async (): Promise<void> => {
      await lift()
      if (!removed) timer = site.clock.schedule(upMs, goDown, { keepAlive: true })
    }

    goDown()
    return async () => {
      removed = true
      timer.cancel()
      await lift()
    }
  })
}
