/**
 * Links for people without an account. GET shows what is asked and changes nothing, so that mail scanners and previews do no harm; POST hands it
 * in, once. Every token that opens nothing gets the same page.
 */
import { errorCode } from '@lockstep/base'
import { FormInvalid, type TokenSubject, UnknownOutcome } from '@lockstep/engine'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { audited } from '../audit/audited.ts'
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
const open = { permission: 'public' } as const
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
  readTextBodies(app, ['application/x-www-form-urlencoded'])
  app.get('/style.css', { config: open }, (_request, reply) =>
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
  const found = await look(context, request)
  if (found === 'used') return usedPage(style)
  return found === undefined ? unknownPage(style) : { status: 200, html: asking(found, style) }
}

function look({ engine, access, tenant }: ApiContext, request: Asked): Promise<TokenSubject | 'used' | undefined> {
  const { token } = request.params
  return withToken(access, { token, address: request.ip, tenant }, async (owner) => {
    const found = await engine.resumeTokens.show(token, owner)
    if (found !== undefined) return found
    return (await engine.resumeTokens.isUsed(token, owner)) ? 'used' : undefined
  })
}

async function handIn(context: ApiContext, request: Asked, style: string): Promise<Page> {
  const found = await look(context, request)
  if (found === 'used') return usedPage(style)
  if (found === undefined) return unknownPage(style)
  const sent = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
  if (sent.size > MOST_FIELDS)
    return { status: 413, html: sayPage('Too much', 'The form was sent with too much in it.', style) }
  try {
    const outcome = await record(context, request, () => use(context, request, found, sent))
    if (outcome === 'done')
      return {
        status: 200,
        html: sayPage('Thank you', 'Your answer has been received. You can close this page.', style),
      }
    return outcome === 'already-completed' ? usedPage(style) : unknownPage(style)
  } catch (error) {
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
  { engine, access, tenant }: ApiContext,
  request: Asked,
  { task }: TokenSubject,
  sent: URLSearchParams,
) {
  const { token } = request.params
  const outcome = sent.get(OUTCOME) ?? ''
  const data = task === undefined ? null : formData(formFields(task.form), sent)
  const used = await withToken(access, { token, address: request.ip, tenant }, (owner) =>
    engine.resumeTokens.use(token, { tenant: owner, data, ...(outcome === '' ? {} : { outcome }) }),
  )
  return used ?? 'not-found'
}

/** With an entry in the audit log, which names what was asked for and never the token. */
async function record<T extends string>(
  { access: { kept }, clock }: ApiContext,
  request: Asked,
  execute: () => Promise<T>,
): Promise<T> {
  if (kept === undefined) return execute()
  let outcome: T | undefined
  const call = { trail: kept.audit, node: kept.nodeName, mode: 'behind', at: clock.now(), secret: true } as const
  await audited(
    { ...call, operation: 'useResumeLink', principal: request.principal, request },
    async (): Promise<Answer> => {
      outcome = await execute()
      return { status: outcome === 'done' ? 200 : 410, body: undefined }
    },
  )
  return outcome!
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

const usedPage = (style: string): Page => ({
  status: 410,
  html: sayPage('This link was already used', 'An answer has been received through it. Nothing more is needed.', style),
})

const unknownPage = (style: string): Page => ({
  status: 404,
  html: sayPage(
    'This link does not work',
    'It may have been cut off, it may have expired, or the answer may not be needed any more. Ask whoever sent it for a new one.',
    style,
  ),
})
