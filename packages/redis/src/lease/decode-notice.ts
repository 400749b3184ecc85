import type { LeaseNotice } from '@lockstep/coordination'
import { timeOf } from './decode-answer.ts'

/** Lines: kind, token, fence, time, name, and the reason as the rest. `undefined`: nothing that one of our scripts sent. */
export function decodeNotice(message: string): LeaseNotice | undefined {
  const [kind, token, fence, at, name, ...rest] = message.split('\n')
  if (token === undefined || fence === undefined || at === undefined || name === undefined) return undefined
  if (kind === 'granted' && /^\d+$/.test(fence)) return { kind, name, token, fence: BigInt(fence), at: timeOf(at) }
  if (kind === 'revoked' || kind === 'yield') return { kind, name, token, reason: rest.join('\n') }
  return undefined
}
