/**
 * Links for people without an account. GET shows what is asked and changes nothing, so that mail scanners and previews do no harm; POST hands it
 * in, once. Every token that opens nothing gets the same page.
 */
import { errorCode } from '@lockstep/base'
import { FormInvalid, TaskAlreadyCompleted, TokenNotFound, type TokenSubject, UnknownOutcome } from '@lockstep/engine'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuditNote, audited } from '../audit/audited.ts'
import { RateLimited } from '../auth/errors.ts'
import { isHttps } from '../auth/require-https.ts'
import { withToken } from '../auth/resume-token.ts'
import { readTextBodies } from '../request/text-body.ts'
import type { Answer, ApiContext } from '../route/route.ts'
import { FIELD, formData, OUTCOME } from './form-data.ts'
import { formFields } from './form-fields.ts'
import { askPage, sayPage } from './page-html.ts'
import { pageStyle } from './page-style.ts'

const POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
const FORM = ['application/x-www-form-urlencoded']
const open = { permission: 'public', visitors: 'counted', accepts: FORM } as const
const BODY_LIMIT = 262_144
const MOST_FIELDS = 1_000

type Asked = FastifyRequest<{ Params: { token: string } }>
interface Page {
  readonly status: number
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `prefix` is the path that the pages have, base path and all. */
export function resumePages(app: FastifyInstance, context: ApiContext, prefix: string): void {
  const style = `${prefix}/style.css`
  readTextBodies(app, FORM)
  app.get('/style.css', { config: { permission: 'public' } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(pageStyle),
  )
  app.get<{ Params: { token: string } }>('/:token', { config: open }, async (request, reply) =>
    send(reply, await guarded(context, request, style, () => show(context, request, style))),
  )
  app.post<{ Params: { token: string } }>('/:token', { config: open, bodyLimit: BODY_LIMIT }, async (request, reply) =>
    send(reply, await guarded(context, request, style, () => handIn(context, request, style))),
  )
}

function send(reply: FastifyReply, { status, html, headers = {} }: Page): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...headers,
    })
    .send(html)
}

/** Whatever goes wrong is a page too. */
async function guarded({ access }: ApiContext, request: Asked, style: string, run: () => Promise<Page>): Promise<Page> {
  if (access.requireHttps && !isHttps(request))
    return { status: 403, html: sayPage('Not over a safe connection', 'Open the link with https in front.', style) }
  try {
    return await run()
  } catch (error) {
    if (!RateLimited.is(error)) throw error
    const seconds = Math.max(1, Math.ceil(error.details.retryAfterMs / 1_000))
    const html = sayPage('Too many attempts', `Come back in ${seconds} s.`, style)
    return { status: 429, html, headers: { 'retry-after': String(seconds) } }
  }
}

async function show(context: ApiContext, request: Asked, style: string): Promise<Page> {
  const { token } = request.params
  const found = await withToken(context, { token, address: request.ip, tenant: context.tenant, note: {} }, (owner) =>
    context.engine.resumeTokens.show(token, owner),
  )
  return found === undefined ? unknownPage(style) : { status: 200, html: asking(found, style) }
}

async function handIn(context: ApiContext, request: Asked, style: string): Promise<Page> {
  let found: TokenSubject | undefined
  const sent = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
  if (sent.size > MOST_FIELDS)
    return { status: 413, html: sayPage('Too much', 'The form was sent with too much in it.', style) }
  try {
    await record(context, request, (note) =>
      use(context, request, sent, note, (subject) => {
        found = subject
      }),
    )
    const html = sayPage('Thank you', 'Your answer has been received. You can close this page.', style)
    return { status: 200, html }
  } catch (error) {
    if (TokenNotFound.is(error) || TaskAlreadyCompleted.is(error)) return unknownPage(style)
    if (found === undefined) throw error
    if (FormInvalid.is(error)) {
      const wrong = new Map(error.details.problems.map(({ pointer, text }) => [fieldAt(pointer), text]))
      return { status: 422, html: asking(found, style, sent, wrong) }
    }
    if (UnknownOutcome.is(error))
      return { status: 422, html: asking(found, style, sent, new Map([['', 'Choose one of the buttons.']])) }
    if (errorCode(error) !== 'PAYLOAD_TOO_LARGE') throw error
    return { status: 413, html: asking(found, style, sent, new Map([['', 'This is more than can be sent.']])) }
  }
}

const fieldAt = (pointer: string): string => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')

async function use(
  context: ApiContext,
  request: Asked,
  sent: URLSearchParams,
  note: AuditNote,
  onFound: (subject: TokenSubject) => void,
): Promise<void> {
  const { engine, tenant } = context
  const { token } = request.params
  let used = false
  const outcome = await withToken(context, { token, address: request.ip, tenant, note }, async (owner, wasUsed) => {
    used = wasUsed
    const found = await engine.resumeTokens.show(token, owner)
    if (found === undefined) return undefined
    onFound(found)
    const chosen = sent.get(OUTCOME) ?? ''
    const data = found.task === undefined ? null : formData(formFields(found.task.form), sent)
    const answer = { tenant: owner, data, ...(chosen === '' ? {} : { outcome: chosen }) }
    const came = await engine.resumeTokens.use(token, answer)
    used = came === 'already-completed'
    return came === 'done' ? came : undefined
  })
  if (outcome === 'done') return
  throw used
    ? new TaskAlreadyCompleted({ id: 'of this link', outcome: 'already-completed', task: null })
    : new TokenNotFound({})
}

/** With an entry in the audit log, which names what was asked for and never the token. */
async function record(
  { access: { kept }, clock }: ApiContext,
  request: Asked,
  execute: (note: AuditNote) => Promise<void>,
): Promise<void> {
  const note: AuditNote = {}
  if (kept === undefined) return execute(note)
  const call = { trail: kept.audit, node: kept.nodeName, mode: 'behind', at: clock.now() } as const
  const { principal } = request
  await audited(
    { ...call, operation: 'useResumeLink', principal, request, opens: true, secret: true, note },
    async (): Promise<Answer> => {
      await execute(note)
      return { status: 200, body: undefined }
    },
  )
}

function asking(
  { name, task, expiresAt }: TokenSubject,
  style: string,
  sent = new URLSearchParams(),
  wrong: ReadonlyMap<string, string> = new Map(),
): string {
  const fields = formFields(task?.form)
  const filled = new Map(
    [...sent].flatMap(([key, value]) => (key.startsWith(FIELD) ? [[key.slice(FIELD.length), value]] : [])),
  )
  const page = {
    title: task?.title ?? `Go on with "${name}"?`,
    description: task?.description,
    dueAt: task?.dueAt,
    expiresAt,
    outcomes: task?.outcomes ?? [],
    fields,
    filled,
    wrong,
  }
  return askPage(page, style)
}

const unknownPage = (style: string): Page => ({
  status: 404,
  html: sayPage(
    'This link was already used, or does not work',
    'An answer may have been received through it already, it may have been cut off or have expired, or the answer may not be needed any more. Ask whoever sent it for a new one.',
    style,
  ),
})
