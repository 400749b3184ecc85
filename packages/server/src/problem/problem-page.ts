import type { FastifyInstance } from 'fastify'
import { problemNotes } from '../problems/problem-notes.ts'
import type { ErrorCode } from './error-code.ts'
import { errorStatus } from './error-status.ts'
import { problemTitles } from './problem-titles.ts'
import { RouteNotFound } from './request-errors.ts'
import { problemType } from './to-problem.ts'

const codes = new Map((Object.keys(errorStatus) as ErrorCode[]).map((code) => [problemType(code), code]))

/** What a problem's `type` leads to when somebody follows it. */
export function problemPages(app: FastifyInstance): void {
  app.get<{ Params: { type: string } }>(
    '/problems/:type',
    { config: { permission: 'public' } },
    async (request, reply) => {
      const code = codes.get(`/problems/${request.params.type}`)
      if (code === undefined) throw new RouteNotFound({ method: 'GET', path: '/problems/…' })
      return reply.type('text/html; charset=utf-8').send(page(code))
    },
  )
}

function page(code: ErrorCode): string {
  const title = escaped(problemTitles[code])
  const status = errorStatus[code]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${code}: ${title}</title>
<h1>${title}</h1>
<p>${note(code)}</p>
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

/** As the reference page has it; what stands in backticks there is code here. */
function note(code: ErrorCode): string {
  const parts = escaped(problemNotes[code] ?? '').split('&#96;')
  return parts.map((part, at) => (at % 2 === 0 ? part : `<code>${part}</code>`)).join('')
}

const escaped = (text: string): string => text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
