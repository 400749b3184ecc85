import { type Json, toWireId } from '@lockstep/base'
import type { StartedInstance, StartRequest } from '../start/start-request.ts'
import type { DeadLetter, DeadLetterContent, DeadLetterPlace, DeadLetterStore } from './dead-letter-store.ts'
import { DeadLetterNotFound, DeadLetterUnreadable } from './errors.ts'

export interface DeadLettersOptions {
  readonly store: DeadLetterStore
  readonly start: (request: StartRequest) => Promise<StartedInstance>
}

/** What could not start its workflow: to be looked at, mended and tried again, or thrown away. */
export class DeadLetters {
  readonly #store: DeadLetterStore
  readonly #start: DeadLettersOptions['start']

  constructor({ store, start }: DeadLettersOptions) {
    this.#store = store
    this.#start = start
  }

  list(place: DeadLetterPlace): Promise<readonly DeadLetter[]> {
    return this.#store.list(place)
  }

  async read(tenant: string, id: string): Promise<DeadLetter & DeadLetterContent> {
    const letter = await this.#store.find(tenant, id)
    if (letter === undefined) throw new DeadLetterNotFound({ id: toWireId('deadLetter', id) })
    return letter
  }

  /**
   * Starts its workflow, with another input where one is given. It is gone when the instance is durable; when that cannot be started
   * still, nothing has changed. Two that try at once start one instance: both have the letter's key.
   */
  async retry(tenant: string, id: string, input?: Json): Promise<StartedInstance> {
    const letter = await this.read(tenant, id)
    const wanted = input === undefined ? letter.input : input
    if (wanted === undefined) throw new DeadLetterUnreadable({ id: toWireId('deadLetter', id), reason: letter.reason })
    const { definitionId, correlationId } = letter
    const started = await this.#start({
      tenant,
      definitionId,
      input: wanted,
      dedupeKey: letter.dedupeKey ?? `dead-letter:${id}`,
      ...(correlationId !== undefined && { correlationId }),
    })
    await this.#store.remove(tenant, id)
    return started
  }

  async discard(tenant: string, id: string): Promise<void> {
    if (!(await this.#store.remove(tenant, id))) throw new DeadLetterNotFound({ id: toWireId('deadLetter', id) })
  }
}
