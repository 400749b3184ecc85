import { TaskAlreadyCompleted, TokenNotFound } from '@lockstep/engine'
import Type from 'typebox'
import { decidedByLink } from '../auth/decided-by.ts'
import { nobody } from '../auth/principal.ts'
import { withToken } from '../auth/resume-token.ts'
import { route } from '../route/route.ts'
import { anything, closed, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const Token = Type.String({ minLength: 1, maxLength: 200, description: 'rt_ and 43 characters.' })

export const showToken = route({
  method: 'GET',
  path: '/resume/:id',
  name: 'showResumeToken',
  permission: 'public',
  summary: 'Shows what a token is for, and changes nothing. Every token that opens nothing is answered alike.',
  id: Token,
  secret: true,
  opens: true,
  replies: {
    200: Type.Object({
      kind: Type.String({ description: 'human: a task with a form; else a bookmark.' }),
      name: Type.String(),
      title: nullable('string'),
      description: nullable('string'),
      form: anything('JSON schema of what is handed in; null: anything.'),
      outcomes: Type.Array(Type.String()),
      dueAt: instant(),
      expiresAt: instant(),
    }),
  },
  problems: ['TOKEN_NOT_FOUND', 'RATE_LIMITED', 'HTTPS_REQUIRED'],
  async handle(context, { params, address, note }) {
    const { engine, tenant } = context
    const found = await withToken(context, { token: params.id, address, tenant, note }, (owner) =>
      engine.resumeTokens.show(params.id, owner),
    )
    if (found === undefined) throw new TokenNotFound({})
    const { kind, name, task } = found
    const dueAt = task?.dueAt === undefined ? null : new Date(task.dueAt).toISOString()
    return {
      status: 200,
      body: {
        ...{ kind, name, dueAt },
        title: task?.title ?? null,
        description: task?.description ?? null,
        form: task?.form ?? null,
        outcomes: task?.outcomes ?? [],
        expiresAt: new Date(found.expiresAt).toISOString(),
      },
    }
  },
})

export const useToken = route({
  method: 'POST',
  path: '/resume/:id',
  name: 'useResumeToken',
  permission: 'public',
  audit: 'behind',
  summary:
    'Hands in what is waited for. A token is used once; what does not fit the form leaves it unused. Strangers are told of a used one that it opens nothing; who has signed in gets 409.',
  id: Token,
  secret: true,
  opens: true,
  body: closed({
    outcome: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'May be left out when there is one.' }),
    ),
    data: Type.Optional(anything('What the form asks for, or what the bookmark is resumed with.')),
    by: Type.Optional(indexedText('Who says to have done it: kept as that, with a mark that it was said with a link.')),
  }),
  bodyOptional: true,
  replies: { 200: Type.Object({ outcome: oneOf(['done']) }) },
  problems: [
    'HTTPS_REQUIRED',
    'TOKEN_NOT_FOUND',
    'TASK_ALREADY_COMPLETED',
    'FORM_INVALID',
    'UNKNOWN_OUTCOME',
    'PAYLOAD_TOO_LARGE',
  ],
  async handle(context, { params, body, address, principal, note }) {
    const { engine, tenant } = context
    const isStranger = principal.id === nobody.id
    const { by: said, ...given } = body
    const by = decidedByLink(principal, said)
    const outcome = await withToken(context, { token: params.id, address, tenant, note }, async (owner) => {
      const used = await engine.resumeTokens.use(params.id, {
        ...given,
        ...(by === undefined ? {} : { by }),
        tenant: owner,
      })
      return used === 'not-found' || (used === 'already-completed' && isStranger) ? undefined : used
    })
    if (outcome === 'already-completed') throw new TaskAlreadyCompleted({ id: 'of this token', outcome, task: null })
    if (outcome !== 'done') throw new TokenNotFound({})
    return { status: 200, body: { outcome } }
  },
})
