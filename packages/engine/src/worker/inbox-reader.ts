import { type Clock, type Logger, Trouble } from '@lockstep/base'
import type { AgendaStore } from '../store/agenda-store.ts'
import type { HeldInstance } from './held-instance.ts'

export interface InboxReaderOptions {
  readonly agenda: Pick<AgendaStore, 'inbox'>
  readonly clock: Clock
  readonly logger: Logger
}

const BATCH = 200
const RETRY_MS = 200

/** Reads the inboxes of instances in hand that may have messages, all of them in one question, and lets them hear. */
export class InboxReader {
  readonly #o: InboxReaderOptions
  readonly #wanted = new Set<HeldInstance>()
  #reading = false
  #stopped = false

  readonly #trouble: Trouble

  constructor(options: InboxReaderOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'could not read the inbox', 'inboxes are read again')
  }

  want(held: HeldInstance): void {
    this.#wanted.add(held)
    if (!this.#reading) void this.#read()
  }

  forget(held: HeldInstance): void {
    this.#wanted.delete(held)
  }

  stop(): void {
    this.#stopped = true
  }

  async #read(): Promise<void> {
    this.#reading = true
    try {
      while (this.#wanted.size > 0 && !this.#stopped) {
        const batch = [...this.#wanted].slice(0, BATCH)
        const inboxes = await this.#o.agenda.inbox(batch.map((held) => held.identity.instanceId))
        this.#trouble.over()
        for (const held of batch) this.#wanted.delete(held)
        const byId = new Map(inboxes.map((inbox) => [inbox.instanceId, inbox]))
        for (const held of batch) held.hear(byId.get(held.identity.instanceId))
      }
    } catch (error) {
      this.#trouble.failed(error)
      this.#o.clock.schedule(RETRY_MS, () => (this.#reading ? undefined : void this.#read()))
    } finally {
      this.#reading = false
    }
  }
}
