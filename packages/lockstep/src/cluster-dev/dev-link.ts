import { type Clock, deferred, withTimeout } from '@lockstep/base'
import type { DevControl, DevOutcome, DevProcess, DevVerb } from '@lockstep/server'
import { fromSupervisor, type OrderMessage } from './messages.ts'

/** The way to the process that started this one. */
export interface ParentChannel {
  onMessage(hear: (message: unknown) => void): void
  onGone(gone: () => void): void
  send(message: OrderMessage): void
}

/** A supervisor that is itself stopped in its terminal says nothing. */
const PATIENCE_MS = 5_000

/** The control of one node of a dev cluster. Worth nothing until a supervisor has spoken, and again when it has gone. */
export class DevLink implements DevControl {
  readonly self: string
  readonly #channel: ParentChannel
  readonly #clock: Clock
  readonly #waiting = new Map<number, (outcome: DevOutcome) => void>()
  #processes: readonly DevProcess[] = []
  #lastId = 0

  constructor(self: string, channel: ParentChannel, clock: Clock) {
    this.self = self
    this.#channel = channel
    this.#clock = clock
    channel.onMessage((message) => {
      const said = fromSupervisor(message)
      if (said?.clusterDev === 'states') this.#processes = said.processes
      if (said?.clusterDev === 'outcome') this.#waiting.get(said.id)?.(said.outcome)
    })
    channel.onGone(() => {
      this.#processes = []
    })
  }

  processes(): readonly DevProcess[] {
    return this.#processes
  }

  async order(verb: DevVerb, name: string): Promise<DevOutcome> {
    this.#lastId += 1
    const id = this.#lastId
    const answer = deferred<DevOutcome>()
    this.#waiting.set(id, answer.resolve)
    try {
      this.#channel.send({ clusterDev: 'order', id, verb, name })
      return await withTimeout(this.#clock, PATIENCE_MS, `to ${verb} ${name}`, answer.promise)
    } finally {
      this.#waiting.delete(id)
    }
  }
}
