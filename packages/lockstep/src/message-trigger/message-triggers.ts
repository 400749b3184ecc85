/**
 * Reads the queues that published workflows are triggered by. Every node with a broker takes part: they share the messages. What is
 * published or retracted elsewhere is noticed at the next look; until then a message stays in its queue.
 */
import { setMaxListeners } from 'node:events'
import { type Clock, errorMessage, type Logger, sleep } from '@lockstep/base'
import { DEFAULT_TENANT, type Engine } from '@lockstep/engine'
import type { Consumption, Disposition, Rabbitmq, ReceivedMessage } from '@lockstep/rabbitmq'
import type { MessageTrigger } from './message-trigger.ts'
import { PublishedTriggers } from './published-triggers.ts'
import { type StartVerdict, startFromMessage } from './start-from-message.ts'

export interface MessageTriggersOptions {
  readonly engine: Pick<Engine, 'start' | 'definitions'>
  readonly rabbitmq: Rabbitmq
  readonly clock: Clock
  readonly logger: Logger
  /** Between looks at what is published. @default 5_000 */
  readonly lookMs?: number
  /** Before a message that cannot start now goes back to its queue. @default 1_000 */
  readonly laterMs?: number
}

type Poison = Extract<StartVerdict, { readonly kind: 'poison' }>

export class MessageTriggers {
  readonly #o: Required<MessageTriggersOptions>
  readonly #published: PublishedTriggers
  readonly #stop = new AbortController()
  readonly #consumptions = new Map<string, Consumption>()
  readonly #withoutId = new Set<string>()
  #byQueue: ReadonlyMap<string, readonly MessageTrigger[]> = new Map()
  #running: Promise<void> | undefined

  constructor(options: MessageTriggersOptions) {
    this.#o = { lookMs: 5_000, laterMs: 1_000, ...options, logger: options.logger.area('message-trigger') }
    this.#published = new PublishedTriggers(options.engine.definitions, DEFAULT_TENANT)
  }

  run(): void {
    setMaxListeners(0, this.#stop.signal) // as many wait as there are messages in work
    this.#running ??= this.#lookOn()
  }

  /** Lets starts that are under way finish; their messages are acknowledged. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the node is closing'))
    await this.#running
    await Promise.all([...this.#consumptions.values()].map((each) => each.close()))
    this.#consumptions.clear()
  }

  async #lookOn(): Promise<void> {
    const { clock, logger, lookMs } = this.#o
    while (!this.#stop.signal.aborted) {
      try {
        this.#follow(await this.#published.read())
      } catch (error) {
        logger.warn('cannot look for triggers now', { reason: errorMessage(error) })
      }
      await sleep(clock, lookMs, this.#stop.signal).catch(() => undefined)
    }
  }

  #follow(triggers: readonly MessageTrigger[]): void {
    if (this.#stop.signal.aborted) return
    const byQueue = new Map<string, MessageTrigger[]>()
    for (const trigger of triggers) {
      const present = byQueue.get(trigger.queue)
      if (present === undefined) byQueue.set(trigger.queue, [trigger])
      else if (!present.some(({ definitionId }) => definitionId === trigger.definitionId)) present.push(trigger)
    }
    this.#byQueue = byQueue
    for (const [queue, consumption] of this.#consumptions) {
      if (byQueue.has(queue)) continue
      this.#consumptions.delete(queue)
      void consumption.close().catch(() => undefined)
    }
    for (const queue of byQueue.keys()) {
      if (this.#consumptions.has(queue)) continue
      this.#consumptions.set(
        queue,
        this.#o.rabbitmq.consume({ queue }, (message) => this.#handle(message)),
      )
    }
  }

  async #handle(message: ReceivedMessage): Promise<Disposition> {
    const { engine, clock, logger, laterMs } = this.#o
    this.#noteMissingId(message)
    const triggers = this.#byQueue.get(message.queue) ?? []
    const verdict = await startFromMessage(engine, DEFAULT_TENANT, triggers, message)
    if (verdict.kind === 'started') return 'ack'
    if (verdict.kind === 'poison') return this.#bury(message, verdict)
    logger.warn('a message cannot start its workflow now, it goes back', {
      queue: message.queue,
      reason: verdict.reason,
    })
    await sleep(clock, laterMs, this.#stop.signal).catch(() => undefined)
    return 'requeue'
  }

  /** To the queue that the trigger names, or to where its own queue sends dead letters. */
  async #bury(message: ReceivedMessage, { trigger, code, reason }: Poison): Promise<Disposition> {
    const { rabbitmq, clock, logger, laterMs } = this.#o
    const { deadLetterQueue, definitionId } = trigger
    const { queue, messageId } = message
    const fields = { queue, messageId, definitionId, code, reason }
    if (deadLetterQueue === undefined) {
      logger.error('a message cannot start its workflow and was rejected', fields)
      return 'reject'
    }
    const { body: _, bytes, headers, contentType, correlationId } = message
    const result = await rabbitmq.publish({
      ...{ exchange: '', routingKey: deadLetterQueue, body: bytes, contentType, correlationId },
      messageId: messageId ?? `dead:${definitionId}`,
      headers: {
        ...headers,
        'x-lockstep-queue': queue,
        'x-lockstep-definition': definitionId,
        'x-lockstep-code': code,
        'x-lockstep-reason': reason.slice(0, 1_000),
      },
      persistent: true,
      mandatory: true,
    })
    if (result.status === 'confirmed') {
      logger.error('a message cannot start its workflow and went to the dead letters', { ...fields, deadLetterQueue })
      return 'ack'
    }
    logger.error('a dead letter could not be put away, its message goes back', {
      ...fields,
      deadLetterQueue,
      status: result.status,
    })
    await sleep(clock, laterMs, this.#stop.signal).catch(() => undefined)
    return 'requeue'
  }

  #noteMissingId({ queue, messageId }: ReceivedMessage): void {
    if (messageId !== undefined || this.#withoutId.has(queue)) return
    this.#withoutId.add(queue)
    this.#o.logger.warn('messages without a message id: one that is handed out twice starts twice', { queue })
  }
}
