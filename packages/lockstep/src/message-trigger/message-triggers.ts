/**
 * Reads the queues that published workflows are triggered by. Every node with a broker takes part: they share the messages. What is
 * published or retracted elsewhere is noticed at the next look; until then a message stays in its queue.
 */
import { setMaxListeners } from 'node:events'
import { type Clock, errorMessage, type Logger, type Random, sleep, uuidSource } from '@lockstep/base'
import type { Engine } from '@lockstep/engine'
import type { DeadLetterStore } from '@lockstep/engine/ports'
import type { Consumption, Disposition, Rabbitmq, ReceivedMessage } from '@lockstep/rabbitmq'
import type { MessageTrigger } from './message-trigger.ts'
import { PublishedTriggers } from './published-triggers.ts'
import { keysOf, type Poison, startFromMessage } from './start-from-message.ts'

export interface MessageTriggersOptions {
  readonly engine: Pick<Engine, 'start' | 'definitions'>
  readonly rabbitmq: Rabbitmq
  readonly letters: Pick<DeadLetterStore, 'put'>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Between looks at what is published. @default 5_000 */
  readonly lookMs?: number
  /** Before a message that cannot start now goes back to its queue. @default 1_000 */
  readonly laterMs?: number
}

/** Of a message, in bytes: what no page could show is for the broker to keep. */
const LARGEST_KEPT = 8 * 1_048_576
const LONGEST_REASON = 1_000

export class MessageTriggers {
  readonly #o: Required<MessageTriggersOptions>
  readonly #published: PublishedTriggers
  readonly #stop = new AbortController()
  readonly #consumptions = new Map<string, Consumption>()
  readonly #withoutId = new Set<string>()
  #byQueue: ReadonlyMap<string, readonly MessageTrigger[]> = new Map()
  readonly #newId: () => string
  #running: Promise<void> | undefined

  constructor(options: MessageTriggersOptions) {
    this.#o = { lookMs: 5_000, laterMs: 1_000, ...options, logger: options.logger.area('message-trigger') }
    this.#newId = uuidSource(options.clock, options.random)
    this.#published = new PublishedTriggers(options.engine.definitions)
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
      else if (!present.some((each) => isSameWorkflow(each, trigger))) present.push(trigger)
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
    const verdict = await startFromMessage(engine, triggers, message)
    if (verdict.kind === 'started') return 'ack'
    if (verdict.kind === 'poison') return this.#bury(message, verdict.poisons)
    logger.warn('a message cannot start its workflow now, it goes back', {
      queue: message.queue,
      reason: verdict.reason,
    })
    await sleep(clock, laterMs, this.#stop.signal).catch(() => undefined)
    return 'requeue'
  }

  /** One letter for each workflow that it cannot start. It leaves its queue when all of them are put away. */
  async #bury(message: ReceivedMessage, poisons: readonly Poison[]): Promise<Disposition> {
    const { clock, logger, laterMs } = this.#o
    for (const poison of poisons) {
      const { tenant, definitionId, deadLetterQueue } = poison.trigger
      const { queue, messageId } = message
      const fields = { queue, messageId, tenant, definitionId, code: poison.code, reason: poison.reason }
      const buried =
        deadLetterQueue === undefined ? await this.#keep(message, poison) : await this.#forward(message, poison)
      if (buried === 'too-large') {
        logger.error('a message cannot start its workflow, is too large to be kept and was rejected', fields)
        return 'reject'
      }
      if (buried !== 'buried') {
        logger.error('a dead letter could not be put away, its message goes back', { ...fields, status: buried })
        await sleep(clock, laterMs, this.#stop.signal).catch(() => undefined)
        return 'requeue'
      }
      logger.error('a message cannot start its workflow and went to the dead letters', { ...fields, deadLetterQueue })
    }
    return 'ack'
  }

  async #keep(message: ReceivedMessage, { trigger, code, reason, input }: Poison): Promise<string> {
    if (message.bytes.length > LARGEST_KEPT) return 'too-large'
    const { dedupeKey, correlationId } = keysOf(message)
    try {
      await this.#o.letters.put({
        ...{ id: this.#newId(), tenant: trigger.tenant, definitionId: trigger.definitionId },
        ...{
          source: `rabbitmq:${message.queue}`,
          code,
          reason: reason.slice(0, LONGEST_REASON),
          dedupeKey,
          correlationId,
        },
        ...(input === undefined ? { raw: message.bytes } : { input }),
      })
      return 'buried'
    } catch (error) {
      return errorMessage(error)
    }
  }

  async #forward(message: ReceivedMessage, { trigger, code, reason }: Poison): Promise<string> {
    const { deadLetterQueue = '', definitionId } = trigger
    const { body: _, bytes, headers, contentType, correlationId, queue, messageId } = message
    const { status } = await this.#o.rabbitmq.publish({
      ...{ exchange: '', routingKey: deadLetterQueue, body: bytes, contentType, correlationId },
      messageId: messageId ?? `dead:${definitionId}`,
      headers: {
        ...headers,
        'x-lockstep-queue': queue,
        'x-lockstep-definition': definitionId,
        'x-lockstep-code': code,
        'x-lockstep-reason': reason.slice(0, LONGEST_REASON),
      },
      persistent: true,
      mandatory: true,
    })
    return status === 'confirmed' ? 'buried' : status
  }

  #noteMissingId({ queue, messageId }: ReceivedMessage): void {
    if (messageId !== undefined || this.#withoutId.has(queue)) return
    this.#withoutId.add(queue)
    this.#o.logger.warn('messages without a message id: one that is handed out twice starts twice', { queue })
  }
}

const isSameWorkflow = (a: MessageTrigger, b: MessageTrigger): boolean =>
  a.tenant === b.tenant && a.definitionId === b.definitionId
