import { type Clock, isRetryable, type Json, sleep, toJson } from '@lockstep/base'
import type { Fact, Failure } from '../journal/fact.ts'
import { type BoundSecret, requireSecret, type Secrets } from '../outbound/secrets.ts'
import type { HandedOut } from '../progress/attempt-parts.ts'
import type { AttemptReport } from '../step/progress-reports.ts'
import type { NewEvent } from '../store/commit-store.ts'
import { requireHost } from './secret-hosts.ts'
import { SecretMask } from './secret-mask.ts'

/** A store that is away for a moment fails no step. */
const TRIES = 40
const PAUSE_MS = 250

/** The secrets that one instance has read on this node, and what it writes down without them. */
export class UsedSecrets {
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #mask = new SecretMask()

  constructor(secrets: Secrets, clock: Clock) {
    this.#secrets = secrets
    this.#clock = clock
  }

  /** `to`: where its value will be sent. */
  async read(name: string, tenant: string, to: string | URL | undefined): Promise<string> {
    const { value, hosts } = await this.find(name, tenant)
    requireHost(name, hosts, to)
    this.hide(value)
    return value
  }

  /**
   * From here on it is taken out of all that is written down. Not before it is known that it may be sent where it shall go: what is taken out
   * tells that it was there, and whoever may not use a secret could try guesses on it.
   */
  hide(value: string): void {
    this.#mask.add(value)
  }

  /** Whoever asks sees to it that it goes to its hosts alone, and then hides it. */
  async find(name: string, tenant: string): Promise<BoundSecret> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await requireSecret(this.#secrets, name, tenant)
      } catch (error) {
        if (!isRetryable(error) || tried >= TRIES) throw error
        await sleep(this.#clock, PAUSE_MS)
      }
    }
  }

  shows(text: string): boolean {
    return this.#mask.shows(text)
  }

  text(text: string): string {
    return this.#mask.text(text)
  }

  json<T extends Json | undefined>(value: T): T {
    return this.#mask.json(value)
  }

  fact<F extends Fact>(fact: F): F {
    if (this.#mask.isEmpty) return fact
    const shown: Record<string, unknown> = { ...fact }
    for (const member of WRITTEN) if (member in shown) shown[member] = this.#mask.json(shown[member] as Json)
    return shown as unknown as F
  }

  end<E extends { readonly output: Json; readonly error: Failure | undefined }>(end: E): E {
    if (this.#mask.isEmpty) return end
    const error = end.error && (this.#mask.json(end.error as unknown as Json) as unknown as Failure)
    return { ...end, output: this.#mask.json(end.output), error }
  }

  events(events: readonly NewEvent[]): readonly NewEvent[] {
    if (this.#mask.isEmpty) return events
    return events.map((event) => ({ ...event, payload: JSON.stringify(this.#mask.json(JSON.parse(event.payload))) }))
  }

  report({ progress, heartbeat }: AttemptReport): AttemptReport {
    return {
      progress: (given) =>
        progress(
          typeof given === 'object' && given.note !== undefined
            ? { ...given, note: this.#mask.text(given.note) }
            : given,
        ),
      heartbeat: (details) => heartbeat(this.#mask.isEmpty ? details : this.#mask.json(details as Json)),
    }
  }

  parts<P extends HandedOut>(parts: P): P {
    return {
      ...parts,
      emit: (part, number) => parts.emit(this.#mask.isEmpty ? part : this.#mask.json(toJson(part)), number),
    }
  }
}

/** Members of facts that hold what code gave back. */
const WRITTEN = ['output', 'assign', 'result', 'error', 'outcome', 'outcomes', 'correlationId', 'wait'] as const
