import { createHmac } from 'node:crypto'
import type { Random } from '@lockstep/base'
import { cookieValue } from './cookie-value.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The cookie of Studio. With https its name lets no other host of the site set it. */
export interface SessionCookie {
  /** What stands in the request's cookie, if it can be ours. */
  read(header: string | undefined): string | undefined
  /** The header that hands it out; lives as long as the browser, the store decides when it ends. */
  write(token: string): string
  /** The header that takes it back. */
  clear(): string
}

export function sessionCookie({ secure, path }: { readonly secure: boolean; readonly path: string }): SessionCookie {
  const host = secure && path === '/'
  const name = host ? '__Host-lockstep-session' : 'lockstep-session'
  const rest = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read: (header) => {
      const value = cookieValue(header, name) ?? ''
      return TOKEN.test(value) ? value : undefined
    },
    write: (token) => `${name}=${token}; ${rest}`,
    clear: () => `${name}=; ${rest}; Max-Age=0`,
  }
}

export const newSessionToken = (random: Random): string => Buffer.from(random.bytes(32)).toString('base64url')

/** Under the secret of the cluster: a new secret ends all sessions, and a copy of the table opens none. */
export const sessionHash = (token: string, secret: string): string =>
  createHmac('sha256', secret).update(`session ${token}`).digest('hex')
