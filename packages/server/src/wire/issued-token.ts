import type { IssuedToken } from '@lockstep/engine'
import Type from 'typebox'
import { isLoopback } from '../auth/same-site.ts'
import { checkSpan } from '../request/step-key.ts'
import { durationMs } from '../request/wait.ts'
import type { ApiContext } from '../route/route.ts'
import { closed, duration, instant, nullable } from './schema.ts'

/** What a resume token is made with, and how it is shown: once. */
export const TokenWish = closed({
  ttl: Type.Optional(duration('How long it can be used; 7d unless given, 366d at most.')),
})

/** A link that never ends would be found in a mailbox years later. */
export function ttlOf(ttl: string | number | undefined): { readonly ttlMs?: number } {
  if (ttl === undefined) return {}
  const ttlMs = durationMs(ttl, 'ttl', 'body')
  checkSpan('/ttl', ttl)
  return { ttlMs }
}

export const WireToken = Type.Object({
  token: Type.String({ description: 'rt_ and 43 characters.' }),
  path: Type.String({ description: 'GET shows what it is for, POST hands it in.' }),
  page: Type.String({ description: 'Path of the same as a page for people; needs no account and no script.' }),
  url: nullable('string', {
    description: 'Whole address of the page: of LOCKSTEP_PUBLIC_URL, or of this machine. null: it is not known.',
  }),
  expiresAt: instant(),
})

export function toWireToken(
  { root, publicUrl }: Pick<ApiContext, 'root' | 'publicUrl'>,
  host: string | undefined,
  { token, expiresAt }: IssuedToken,
) {
  const base = root.replace(/\/api\/v1$/, '')
  const page = `/resume/${token}`
  const site = publicUrl ?? localSite(host, base)
  return {
    ...{ token, path: `${root}/resume/${token}`, page: `${base}${page}` },
    url: site === undefined ? null : `${site}${page}`,
    expiresAt: new Date(expiresAt).toISOString(),
  }
}

/** Nobody chooses by a header where links lead to: elsewhere than on this machine it takes the option. */
const localSite = (host: string | undefined, base: string): string | undefined =>
  host !== undefined && isLoopback(host.replace(/:\d+$/, '')) ? `http://${host}${base}` : undefined
