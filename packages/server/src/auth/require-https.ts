import type { FastifyRequest } from 'fastify'
import { HttpsRequired } from './errors.ts'

/** Behind a proxy it is the proxy's word that counts, if it is one that is trusted. */
export const isHttps = ({ protocol }: Pick<FastifyRequest, 'protocol'>): boolean => protocol === 'https'

/** For what carries its own credential in the path: over plain http everybody on the way could use it first. */
export function requireHttpsOf(request: Pick<FastifyRequest, 'protocol'>): void {
  if (!isHttps(request)) throw new HttpsRequired({})
}
