/** Everything of one engine that decides whether a step may run now, and tells how far it has come. */
import type { Clock, Logger, Random } from '@lockstep/base'
import { PartialResults } from '../progress/partial-results.ts'
import { ProgressReports } from '../step/progress-reports.ts'
import type { ProgressRow } from '../store/progress-store.ts'
import type { StepControlStore } from '../store/step-control-store.ts'
import type { BlockerSource } from '../why/why.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { stepBlockers } from './blockers.ts'
import { BreakerControl } from './breaker-control.ts'
import { Breakers } from './breakers.ts'
import { Limits } from './limits.ts'
import { Permits } from './permits.ts'
import { StepGate } from './step-gate.ts'
import type { StepLocks } from './step-locks.ts'

export interface StepControlOptions {
  readonly store: StepControlStore
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly bus: WakeBus
  readonly locks: StepLocks | undefined
  readonly nodeId: () => string
  /** An instance is due, and the counter of its stimuli was raised. */
  readonly onCalled: (instanceId: string) => void
}

/** Of the bus: a breaker has changed. */
const BREAKER_TOPIC = 'breaker'

export class StepControl {
  readonly gate: StepGate
  readonly progress: ProgressReports
  readonly results: PartialResults
  readonly limits: Limits
  readonly breakers: BreakerControl
  readonly blockers: BlockerSource
  readonly #o: StepControlOptions
  readonly #permits: Permits
  readonly #breakers: Breakers
  #unsubscribe: () => void = () => {}

  constructor(options: StepControlOptions) {
    this.#o = options
    const { store, clock, nodeId, locks, random } = options
    const logger = options.logger.area('step')
    const call = (instanceIds: readonly string[]): void => {
      for (const id of instanceIds) options.onCalled(id)
    }
    this.#permits = new Permits({ store: store.limits, clock, logger, nodeId, onCalled: call })
    const tellOthers = (): void => options.bus.publish(BREAKER_TOPIC)
    this.#breakers = new Breakers({ store: store.breakers, clock, logger, nodeId, onChanged: tellOthers })
    this.gate = new StepGate({
      permits: this.#permits,
      breakers: this.#breakers,
      limits: store.limits,
      ...{ locks, clock, random, logger },
    })
    this.progress = new ProgressReports({ store: store.progress, clock, logger })
    this.results = new PartialResults({
      ...{ parts: store.parts, progress: store.progress, bus: options.bus },
      ...{ clock, logger, nodeId },
    })
    this.limits = new Limits(store.limits, () => void this.#permits.lookAgain().catch(() => undefined)) // or when somebody asks
    this.breakers = new BreakerControl({
      store: store.breakers,
      breakers: this.#breakers,
      onChanged: (woken) => {
        tellOthers()
        call(woken)
      },
    })
    this.blockers = stepBlockers(store.limits)
  }

  run(): void {
    this.#unsubscribe = this.#o.bus.subscribe((topic) => {
      if (topic === BREAKER_TOPIC) this.#breakers.forget()
    })
    this.results.run()
  }

  progressOf(tenant: string, instanceId: string): Promise<readonly (ProgressRow & { readonly at: number })[]> {
    return this.#o.store.progress.read(tenant, instanceId)
  }

  /** What is held is given back with the node's row. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#permits.stop()
    this.results.stop()
    await this.progress.flush()
  }
}
