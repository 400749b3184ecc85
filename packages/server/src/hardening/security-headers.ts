import type { FastifyInstance } from 'fastify'

/** For answers that are data: a browser that is led to one runs, frames and guesses nothing, and nobody on the way keeps it. Pages bring a policy of their own. */
const DATA = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const YEAR_S = 31_536_000

export function sendSecurityHeaders(app: FastifyInstance, { https }: { readonly https: boolean }): void {
  const headers: Record<string, string> = {
    'content-security-policy': DATA,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    ...(https ? { 'strict-transport-security': `max-age=${YEAR_S}; includeSubDomains` } : {}),
  }
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
