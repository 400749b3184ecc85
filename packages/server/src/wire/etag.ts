import { createHash } from 'node:crypto'
import { IfMatchRequired, InvalidRequest } from '../problem/request-errors.ts'

/** A strong validator: revisions rise and are never used twice for one id, also where it is deleted and made again. */
export const toEtag = (revision: number): string => `"${revision}"`

/** Of an answer that also tells what changes without a new revision. If-Match takes it for its revision, If-None-Match for all it tells. */
export const toStateEtag = (revision: number, state: unknown): string =>
  `"${revision}.${createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16)}"`

/** Every revision is acceptable. */
const ANY = '*'
const ONE = /^(?:"(\d{1,10})(?:\.[0-9a-f]+)?"|(\d{1,10}))$/
/** An entity tag of somebody else, weak ones included: it is well-formed and matches nothing of ours. */
const FOREIGN = /^(?:W\/)?"[^"]*"$/
/** Below every revision. */
const NO_REVISION = 0

/** The revision that `If-Match` names; `undefined` when there is none to hold to. The quotes may be left out. */
export function revisionOf(ifMatch: string | undefined): number | undefined {
  const text = ifMatch?.trim()
  if (text === undefined || text === ANY) return undefined
  const match = ONE.exec(text)
  if (match !== null) return storable(Number(match[1] ?? match[2]))
  if (FOREIGN.test(text)) return NO_REVISION
  const fault = 'If-Match must be one ETag as an answer gave it, such as "3"'
  throw new InvalidRequest({ errors: [{ in: 'header', field: 'If-Match', text: fault }] })
}

const storable = (revision: number): number => (revision > 2_147_483_647 ? NO_REVISION : revision)

export function requiredRevisionOf(ifMatch: string | undefined, what: string): number | undefined {
  if (ifMatch === undefined) throw new IfMatchRequired({ what })
  return revisionOf(ifMatch)
}

/** Whether `If-None-Match` names this state: then there is no need to send it again. */
export function isFresh(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === ANY) return true
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
