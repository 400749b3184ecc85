import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Clock, Random } from '@lockstep/base'
import { cookieValue } from './cookie-value.ts'

/** What must be remembered between going to the provider and coming back. */
export interface SignOnState {
  readonly state: string
  readonly nonce: string
  /** Of PKCE: proves that whoever comes back with the code is who left. */
  readonly verifier: string
  /** Page that was wanted: a path of this server. */
  readonly to: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Kept in the browser, sealed: any node can finish what another began, and nothing is kept for those who never come back. */
export interface SignOnStates {
  begin(to: string): { readonly state: SignOnState; readonly cookie: string }
  /** `undefined`: there is none, it is too old, or it is not ours. */
  read(header: string | undefined): SignOnState | undefined
  clear(): string
}

const NAME = 'lockstep-sign-on'
const LONGEST_MS = 600_000
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function signOnStates(
  secret: string,
  { secure, path, clock, random }: { secure: boolean; path: string; clock: Clock; random: Random },
): SignOnStates {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'lockstep sign-on 1', 32))
  const rest = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const text = (): string => Buffer.from(random.bytes(32)).toString('base64url')
  const seal = (state: SignOnState): string => {
    const nonce = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    const box = Buffer.concat([cipher.update(JSON.stringify(state), 'utf8'), cipher.final(), cipher.getAuthTag()])
    return Buffer.concat([nonce, box]).toString('base64url')
  }
  const open = (value: string): SignOnState | undefined => {
    const bytes = Buffer.from(value, 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    opener.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const box = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
      return JSON.parse(Buffer.concat([opener.update(box), opener.final()]).toString('utf8')) as SignOnState
    } catch {
      return undefined
    }
  }
  return {
    begin: (to) => {
      const state = { state: text(), nonce: text(), verifier: text(), to, at: clock.now() }
      return { state, cookie: `${NAME}=${seal(state)}; ${rest}; Max-Age=${LONGEST_MS / 1_000}` }
    },
    read: (header) => {
      const value = cookieValue(header, NAME)
      const state = value === undefined ? undefined : open(value)
      return state === undefined || clock.now() - state.at > LONGEST_MS ? undefined : state
    },
    clear: () => `${NAME}=; ${rest}; Max-Age=0`,
  }
}

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')
