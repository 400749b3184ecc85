import { parseFence } from './check-fence.ts'

/** The highest fence wins; a request without one does not get in. */
export const FENCE_HEADER = 'lockstep-fence'
/** The lock's name, percent-encoded. */
export const LOCK_HEADER = 'lockstep-lock'

/** What a holder sends along with every request that changes something (a lease, or a term of an election). */
export function fenceHeaders(held: { readonly name: string; readonly fence: bigint }): Record<string, string> {
  return {
    [FENCE_HEADER]: held.fence.toString(),
    [LOCK_HEADER]: encodeURIComponent(held.name.replace(/\p{Surrogate}/gu, '\ufffd')),
  }
}

/** Of Fetch (`Headers`) or of Node (`request.headers`, names in lower case). */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type FenceHeaders =
  | { readonly status: 'found'; readonly fence: bigint; readonly lock: string }
  | { readonly status: 'missing' }
  | { readonly status: 'malformed' }

export function readFenceHeaders(headers: RequestHeaders): FenceHeaders {
  const fence = headerOf(headers, FENCE_HEADER)
  const lock = headerOf(headers, LOCK_HEADER)
  if (fence === undefined && lock === undefined) return { status: 'missing' }
  const number = fence === undefined ? undefined : parseFence(fence)
  const name = lock === undefined ? undefined : decoded(lock)
  if (number === undefined || name === undefined || name === '') return { status: 'malformed' }
  return { status: 'found', fence: number, lock: name }
}

function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name]
  // Sent twice: no telling which one is meant, and joined they are no number.
  return typeof value === 'string' ? value : value?.join(', ')
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
