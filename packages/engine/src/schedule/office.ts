import { errorMessage, type Logger } from '@lockstep/base'
import type { Election, Term, TermEndReason } from '@lockstep/coordination'

export interface OfficeChange {
  readonly kind: 'elected' | 'revoked'
  readonly election: string
  /** Rises from term to term. Decimal. */
  readonly term: string
  readonly reason?: TermEndReason
}

export interface SchedulerOfficeOptions {
  readonly election: () => Election
  /** What only the leader does. */
  readonly lead: { begin(): void; end(): void }
  readonly onOffice: (change: OfficeChange) => void
  readonly logger: Logger
}

/** Stands for election until it leaves, and leads while it is elected. */
export class SchedulerOffice {
  readonly #stop = new AbortController()
  readonly #campaign: Promise<void>

  constructor({ election, lead, onOffice, logger }: SchedulerOfficeOptions) {
    const told = (kind: OfficeChange['kind'], { name, term }: Term, reason?: TermEndReason): void => {
      logger.info(kind === 'elected' ? 'fires schedules from now on' : 'fires schedules no more', {
        ...{ election: name, term: String(term) },
        ...(reason === undefined ? {} : { reason }),
      })
      onOffice({ kind, election: name, term: String(term), ...(reason === undefined ? {} : { reason }) })
    }
    this.#campaign = (async () =>
      election().campaign({
        signal: this.#stop.signal,
        onElected: (term) => {
          told('elected', term)
          lead.begin()
        },
        onRevoked: (term, reason) => {
          lead.end()
          told('revoked', term, reason)
        },
      }))().catch((error: unknown) => logger.error('stands for election no more', { reason: errorMessage(error) }))
  }

  /** Resigns where it leads. */
  async leave(): Promise<void> {
    this.#stop.abort()
    await this.#campaign
  }
}
