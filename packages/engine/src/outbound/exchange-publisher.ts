import type { JsonObject } from '@lockstep/base'

export interface ExchangeMessage {
  /** Empty: the default exchange, whose routing keys are names of queues. */
  readonly exchange: string
  readonly routingKey: string
  readonly body: Uint8Array
  readonly contentType: string
  readonly headers: JsonObject
  /** Survives a restart of the server, in queues that do. */
  readonly persistent: boolean
  /** The same on every attempt. */
  readonly messageId: string
  readonly correlationId: string | undefined
  /** Whether a message that no queue takes is a failure. */
  readonly mandatory: boolean
}

export type ExchangeResult =
  /** The server has taken it over. */
  | { readonly status: 'confirmed' }
  | { readonly status: 'unroutable' }
  /** No such exchange, no right to it: repeating changes nothing. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Not confirmed; it may have arrived nevertheless. */
  | { readonly status: 'unavailable'; readonly reason: string }

/** Publishes to RabbitMQ and waits for the confirmation. */
export interface ExchangePublisher {
  publish(message: ExchangeMessage, signal: AbortSignal): Promise<ExchangeResult>
}
