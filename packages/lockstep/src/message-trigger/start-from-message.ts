/**
 * One message to one instance of each workflow that its queue triggers. The message is acknowledged when all of them are durable; a crash
 * before that makes the server hand it out again, and the dedupe key, which is the message's id, finds those that are there already.
 */
import { createHash } from 'node:crypto'
import { errorCode, errorMessage, type Json } from '@lockstep/base'
import type { Engine } from '@lockstep/engine'
import type { ReceivedMessage } from '@lockstep/rabbitmq'
import type { MessageTrigger } from './message-trigger.ts'

/** One workflow that a message can never start as it stands. */
export interface Poison {
  readonly trigger: MessageTrigger
  readonly code: string
  readonly reason: string
  /** What it would have got. Absent: nobody can read the message. */
  readonly input?: Json
}

export type StartVerdict =
  | { readonly kind: 'started' }
  /** It will never start these workflows. */
  | { readonly kind: 'poison'; readonly poisons: readonly Poison[] }
  /** Not now: the store is away, or the workflow is just being retracted. */
  | { readonly kind: 'later'; readonly reason: string }

const POISON: ReadonlySet<string> = new Set(['INPUT_INVALID', 'PAYLOAD_TOO_LARGE', 'NOT_JSON', 'INVALID_OPTION'])
const LONGEST_KEY = 400
const LONGEST_CORRELATION = 512

export async function startFromMessage(
  engine: Pick<Engine, 'start'>,
  triggers: readonly MessageTrigger[],
  message: ReceivedMessage,
): Promise<StartVerdict> {
  if (triggers.length === 0) return { kind: 'later', reason: 'no workflow is triggered by this queue any more' }
  if ('unreadable' in message.body) {
    const why = { code: 'UNREADABLE', reason: message.body.unreadable }
    return { kind: 'poison', poisons: triggers.map((trigger) => ({ trigger, ...why })) }
  }
  const poisons: Poison[] = []
  for (const trigger of triggers) {
    const { tenant, definitionId } = trigger
    const input = inputOf(trigger, message, message.body.value)
    try {
      await engine.start({ tenant, definitionId, input, ...keysOf(message) })
    } catch (error) {
      const [code = '', reason] = [errorCode(error), errorMessage(error)]
      if (!POISON.has(code)) return { kind: 'later', reason }
      poisons.push({ trigger, code, reason, input })
    }
  }
  return poisons.length === 0 ? { kind: 'started' } : { kind: 'poison', poisons }
}

function inputOf({ input }: MessageTrigger, message: ReceivedMessage, body: Json): Json {
  if (input === 'body') return body
  const { queue, exchange, routingKey, headers, messageId = null, correlationId = null } = message
  return { body, headers, messageId, correlationId, queue, exchange, routingKey }
}

/** By which the instance is known that a message starts. */
export function keysOf({ queue, messageId, correlationId }: ReceivedMessage) {
  const isUsable = correlationId !== undefined && correlationId !== '' && !correlationId.includes('\0')
  return {
    ...(messageId === undefined ? {} : { dedupeKey: dedupeKey(queue, messageId) }),
    ...(isUsable && correlationId.length <= LONGEST_CORRELATION ? { correlationId } : {}),
  }
}

/** Ids of two queues are not the same message. */
export function dedupeKey(queue: string, messageId: string): string {
  const key = `rabbitmq:${queue}:${messageId}`
  if (key.length <= LONGEST_KEY && !key.includes('\0')) return key
  return `rabbitmq:${createHash('sha256').update(key).digest('hex')}`
}
