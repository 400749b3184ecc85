import { hashJson, type Json } from '@lockstep/base'
import type { FoundEndpoint } from '@lockstep/engine'
import type { Principal } from '../auth/principal.ts'

export const OPERATION = 'startByRequest'

interface Request {
  readonly method: string
  readonly query: Json
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Json
}

/**
 * Whose an idempotency key is, and what makes two requests with it the same one. Nodes of the version before read it too: what is not
 * ambiguous is said as it always was.
 */
export function keyedRequest(
  { definitionId, activity, path, parameters, ownHeaders }: FoundEndpoint,
  { kind, id }: Pick<Principal, 'kind' | 'id'>,
  { method, query, headers, body }: Request,
): { readonly operation: string; readonly said: unknown } {
  const own = kind === 'anonymous' ? ownHeaders.map((name) => String(headers[name] ?? '')) : []
  // Among strangers, what a workflow tells them apart by is theirs alone: nobody gets another's answer for guessing its key.
  const who = kind !== 'anonymous' ? id : own.length === 0 ? '' : hashJson(own)
  const isAmbiguous = Object.values(parameters).some((value) => value.includes('/'))
  const said = { method, path, query, body, ...(isAmbiguous && { parameters }) }
  return { operation: `${OPERATION} ${definitionId} ${activity} ${who}`, said }
}
