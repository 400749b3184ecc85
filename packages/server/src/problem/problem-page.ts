import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from './error-code.ts'
import { errorStatus } from './error-status.ts'
import { problemTitles } from './problem-titles.ts'
import { RouteNotFound } from './request-errors.ts'
import { problemType } from './to-problem.ts'

const codes = new Map((Object.keys(errorStatus) as ErrorCode[]).map((code) => [problemType(code), code]))

/** What a problem's `type` leads to when somebody follows it. */
export function problemPages(app: FastifyInstance): void {
  app.get<{ Params: { type: string } }>('/problems/:type', async (request, reply) => {
    const code = codes.get(`/problems/${request.params.type}`)
    if (code === undefined) throw new RouteNotFound({ method: 'GET', path: '/problems/…' })
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'")
      .header('x-content-type-options', 'nosniff')
      .send(page(code))
  })
}

function page(code: ErrorCode): string {
  const title = escaped(problemTitles[code])
  const status = errorStatus[code]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${code}: ${title}</title>
<h1>${title}</h1>
<p>Code <code>${code}</code>, HTTP status ${status}. ${escaped(advice(status))}</p>
<p>The <code>detail</code> of the problem says what happened in your case.</p>
</html>
`
}

function advice(status: number): string {
  if (status === 503) return 'The same request can succeed in a moment: repeat it after the time in Retry-After.'
  if (status >= 500) return "The node's log says what happened. Nothing is known to be wrong with the request."
  return 'The same request will be refused again until it, or what it refers to, is changed.'
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
