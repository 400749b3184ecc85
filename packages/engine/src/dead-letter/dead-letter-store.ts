import type { Json } from '@lockstep/base'

/** What came from outside, and can never start the workflow that it was for as it stands. It waits for a person. */
export interface DeadLetter {
  readonly id: string
  readonly tenant: string
  readonly definitionId: string
  /** Where it came from: `rabbitmq:orders`. */
  readonly source: string
  readonly code: string
  readonly reason: string
  /** As the start that is to become of it would have: a letter that comes twice is kept once, and starts once. */
  readonly dedupeKey: string | undefined
  readonly correlationId: string | undefined
  readonly arrivedAt: number
}

/** `input` is what the workflow would have got; `raw` what came, where nobody could read it. */
export type DeadLetterContent =
  | { readonly input: Json; readonly raw?: undefined }
  | { readonly input?: undefined; readonly raw: Uint8Array }

export type NewDeadLetter = Omit<DeadLetter, 'arrivedAt'> & DeadLetterContent

export interface DeadLetterPlace {
  readonly tenant: string
  readonly definitionId?: string | undefined
  readonly source?: string | undefined
  /** Id of the letter that the page lies behind. */
  readonly before: string | undefined
  readonly limit: number
}

export interface DeadLetterStore {
  /** Durable when it answers. `false`: it is kept already. */
  put(letter: NewDeadLetter): Promise<boolean>
  /** Newest first. */
  list(place: DeadLetterPlace): Promise<readonly DeadLetter[]>
  find(tenant: string, id: string): Promise<(DeadLetter & DeadLetterContent) | undefined>
  remove(tenant: string, id: string): Promise<boolean>
  /** Those older than this, some at a time; answers how many. */
  trim(keepMs: number, limit: number): Promise<number>
}
