import { errorCode } from '@lockstep/base'
import type { AuditDetail, NewAuditEntry } from '@lockstep/engine/ports'
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import { toProblem } from '../problem/to-problem.ts'
import type { Answer } from '../route/answer.ts'
import type { AuditTrail } from './audit-trail.ts'

/** `written`: before it is answered. `behind`: soon. `never`: it changes nothing, or is a sign of life. */
export type AuditMode = 'written' | 'behind' | 'never'

const LONGEST = 200
const LONGEST_REASON = 1_000
/** Of a value before or after, as JSON. */
const LARGEST_VALUE = 4_000

export interface AuditedCall {
  readonly trail: AuditTrail
  readonly mode: AuditMode
  readonly operation: string
  readonly principal: Principal
  readonly request: FastifyRequest
  readonly at: number
  readonly node: string
  /** Its path holds a secret. */
  readonly secret: boolean
}

/** Runs what is audited. The entry is about what came of it, refused or done. */
export async function audited(call: AuditedCall, execute: () => Answer | Promise<Answer>): Promise<Answer> {
  let answer: Answer
  try {
    answer = await execute()
  } catch (error) {
    await tell(call, errorCode(error) ?? 'INTERNAL', toProblem(error).status)
    throw error
  }
  await tell(call, 'done', answer.status, answer.change)
  return answer
}

export async function tell(
  call: AuditedCall,
  outcome: string,
  status: number,
  change?: Answer['change'],
): Promise<void> {
  const entry = { ...entryOf(call, outcome, status), detail: detailOf(call, change) }
  if (call.mode === 'written') await call.trail.written(entry)
  else call.trail.note(entry)
}

function entryOf(call: AuditedCall, outcome: string, status: number): NewAuditEntry {
  const { request, principal, operation, at, node, secret } = call
  const params = Object.values((request.params ?? {}) as Record<string, string>)
  return {
    tenant: principal.tenant,
    at,
    actorKind: principal.kind,
    actor: keepable(principal.id),
    operation,
    target: secret ? '' : keepable(params.join('/')),
    outcome,
    status,
    address: request.ip,
    agent: keepable(request.headers['user-agent'] ?? ''),
    node,
  }
}

/** The reason that was given, and what changed. Bodies of secret routes are not looked at. */
function detailOf({ request, secret }: AuditedCall, change: Answer['change']): AuditDetail | undefined {
  const { reason, note } = (secret ? {} : (request.body ?? {})) as {
    readonly reason?: unknown
    readonly note?: unknown
  }
  const said = [reason, note].find((each) => typeof each === 'string' && each !== '') as string | undefined
  if (said === undefined && change === undefined) return undefined
  return {
    ...(said === undefined ? {} : { reason: keepable(said, LONGEST_REASON) }),
    ...(change === undefined ? {} : { before: small(change.before), after: small(change.after) }),
  }
}

/** `null`: nothing, or too much to be kept. */
function small(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  return text.length > LARGEST_VALUE ? null : (JSON.parse(text.replaceAll('\\u0000', '')) as unknown)
}

/** Strangers write some of it: neither control characters nor endless text. */
const keepable = (text: string, longest = LONGEST): string => text.slice(0, longest).replace(/[\p{Cc}\p{Cs}]/gu, '�')
