import { errorCode } from '@lockstep/base'
import type { AuditDetail, NewAuditEntry } from '@lockstep/engine/ports'
import type { FastifyRequest } from 'fastify'
import { nobody, type Principal } from '../auth/principal.ts'
import { toProblem } from '../problem/to-problem.ts'
import type { Answer } from '../route/answer.ts'
import type { AuditTrail, NoteSign } from './audit-trail.ts'

/** `written`: before it is answered. `behind`: soon. `never`: it changes nothing, or is a sign of life. */
export type AuditMode = 'written' | 'behind' | 'never'

/** What strangers can be told as often as they like. */
const COUNTED = new Set(['UNAUTHENTICATED', 'CROSS_SITE_REQUEST'])

const LONGEST = 200
const LONGEST_REASON = 1_000
/** Of a value before or after, as JSON. */
const LARGEST_VALUE = 4_000

/** What the entry says where the path of the request does not. An operation fills it in as it learns it: it counts for what is refused too. */
export interface AuditNote {
  target?: string
  /** Of a stranger's request: whose token it was. */
  tenant?: string
  /** Of a stranger who turned out to be somebody. */
  by?: Principal
}

export interface AuditedCall {
  readonly trail: AuditTrail
  readonly mode: AuditMode
  readonly operation: string
  readonly principal: Principal
  readonly request: FastifyRequest
  readonly at: number
  readonly node: string
  /** Its path is a secret. */
  readonly opens: boolean
  /** Its body holds secrets. */
  readonly secret: boolean
  readonly note: AuditNote
}

/** Runs what is audited. The entry is about what came of it, refused or done. */
export function audited(call: AuditedCall, execute: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
  return call.mode === 'written' ? afterItIsWritten(call, execute) : whileItGoesOn(call, execute)
}

async function afterItIsWritten(call: AuditedCall, execute: () => Answer | Promise<Answer>): Promise<Answer> {
  let answer: Answer
  try {
    answer = await execute()
  } catch (error) {
    await tell(call, ...refusal(error))
    throw error
  }
  await tell(call, 'done', answer.status, answer)
  return answer
}

/** Nobody waits for the entry, so nothing is awaited for it: these are the busy routes. */
function whileItGoesOn(call: AuditedCall, execute: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
  const done = (answer: Answer): Answer => {
    void tell(call, 'done', answer.status, answer)
    return answer
  }
  const failed = (error: unknown): never => {
    void tell(call, ...refusal(error))
    throw error
  }
  let answer: Answer | Promise<Answer>
  try {
    answer = execute()
  } catch (error) {
    return failed(error)
  }
  return answer instanceof Promise ? answer.then(done, failed) : done(answer)
}

const refusal = (error: unknown) => [errorCode(error) ?? 'INTERNAL', toProblem(error).status] as const

/** Settles when the entry needs no more waiting for. */
export function tell(
  call: AuditedCall,
  outcome: string,
  status: number,
  answer?: Pick<Answer, 'change' | 'location'>,
): Promise<void> | undefined {
  const detail = detailOf(call, answer?.change)
  const entry = (): NewAuditEntry => entryOf(call, outcome, status, detail)
  if (call.principal.id === nobody.id && (status === 429 || COUNTED.has(outcome))) {
    call.trail.tally(entry())
    return undefined
  }
  const made = madeBy(answer)
  if (call.mode === 'written') return call.trail.written(entry(), made)
  const sign = detail === undefined ? signOf(call, outcome, status) : undefined
  if (sign === undefined || !call.trail.noteAgain(sign, made)) call.trail.note(entry(), made, sign)
  return undefined
}

function signOf(call: AuditedCall, outcome: string, status: number): NoteSign {
  const { note, request, operation, opens } = call
  const principal = note.by ?? call.principal
  return {
    principal,
    tenant: note.tenant ?? principal.tenant,
    operation,
    outcome,
    status,
    target: note.target ?? targetOf(request, opens),
    address: addressOf(request),
    agent: request.headers['user-agent'] ?? '',
  }
}

/** What came to be by it stands at the end of its address. */
function madeBy(answer: Pick<Answer, 'location'> | undefined): string | undefined {
  const { location } = answer ?? {}
  if (location === undefined) return undefined
  const last = location.slice(location.lastIndexOf('/') + 1)
  return keepable(last.includes('%') ? decodeURIComponent(last) : last)
}

function entryOf(call: AuditedCall, outcome: string, status: number, detail: AuditDetail | undefined): NewAuditEntry {
  const { request, operation, at, node, opens, note } = call
  const principal = note.by ?? call.principal
  return {
    tenant: note.tenant ?? principal.tenant,
    at,
    actorKind: principal.kind,
    actor: keepable(principal.id),
    operation,
    target: note.target === undefined ? targetOf(request, opens) : keepable(note.target),
    outcome,
    status,
    address: addressOf(request),
    agent: keepable(request.headers['user-agent'] ?? ''),
    node,
    detail,
  }
}

/** Of one who hung up before anybody looked, nobody knows it. */
const addressOf = ({ ip }: { readonly ip: string | undefined }): string => ip ?? ''

function targetOf({ params }: FastifyRequest, opens: boolean): string {
  const text = opens ? '' : Object.values(params as Readonly<Record<string, string>>).join('/')
  return text === '' ? '' : keepable(text)
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
  return text.length > LARGEST_VALUE ? null : (JSON.parse(withoutZeros(text)) as unknown)
}

/** Of JSON. One escape at a time: a backslash that was written out may stand before `u0000`. */
const withoutZeros = (text: string): string =>
  text.replace(/\\(?:u0000|.)/g, (found) => (found === '\\u0000' ? '' : found))

const PLAIN = /^[\x20-\x7e]*$/

/** Strangers write some of it: neither control characters nor endless text. */
function keepable(text: string, longest = LONGEST): string {
  const short = text.length > longest ? text.slice(0, longest) : text
  return PLAIN.test(short) ? short : short.replace(/[\p{Cc}\p{Cs}]/gu, '�')
}
