import type { FastifyInstance } from 'fastify'
import { apiPage } from './api-page.ts'
import { apiPageStyle } from './api-page-style.ts'
import type { OpenApi } from './openapi.ts'

const open = { config: { permission: 'public' } } as const
const POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** `/docs/api`: what `openapi.json` says, to be read. Made when somebody first asks. */
export function apiPageRoutes(app: FastifyInstance, describe: () => OpenApi, basePath: string): void {
  let page: string | undefined
  app.get('/docs/api', open, (_request, reply) => {
    page ??= apiPage(describe(), basePath)
    return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page)
  })
  app.get('/docs/api/style.css', open, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(apiPageStyle),
  )
}
