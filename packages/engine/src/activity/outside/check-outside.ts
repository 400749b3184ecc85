/** What validation can say of a document's use of the outside before anything runs. */
import { isJsonObject, type Json } from '@lockstep/base'
import type { ActivityEntry, DocumentIndex } from '../../graph/document-index.ts'
import { type GraphProblem, problem } from '../../graph/graph-problem.ts'
import { containsExpression, isExpressionValue } from '../../graph/input-template.ts'
import { pointerTo } from '../../graph/json-pointer.ts'
import { ALLOWED_VERBS, statementKind } from './sql-statement.ts'

export function* checkOutside(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    yield* checkLiterals(entry)
    switch (entry.document.type) {
      case 'http-request':
        yield* checkUrl(entry)
        yield* checkHeaders(entry)
        break
      case 'webhook':
        yield* checkUrl(entry)
        break
      case 'sql-query':
        yield* checkQuery(entry)
        break
      case 'send-email':
        yield* checkMail(entry)
        break
    }
  }
}

const input = ({ document }: ActivityEntry, name: string): Json | undefined => document.inputs?.[name]
const place = ({ pointer }: ActivityEntry, ...path: readonly string[]): string => pointerTo(pointer, 'inputs', ...path)
const who = ({ id, document }: ActivityEntry): string => `"${id}" (${document.type})`

function* checkLiterals(entry: ActivityEntry): Generator<GraphProblem> {
  for (const name of entry.type?.literalInputs ?? []) {
    const value = input(entry, name)
    if (value === undefined || !containsExpression(value)) continue
    yield problem(
      place(entry, name),
      'INVALID_INPUT',
      `Input "${name}" of ${who(entry)} must be a literal: no expression may make it`,
    )
  }
}

function* checkUrl(entry: ActivityEntry): Generator<GraphProblem> {
  const url = input(entry, 'url')
  if (typeof url !== 'string') return
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const say = (rule: string): GraphProblem =>
    problem(place(entry, 'url'), 'INVALID_INPUT', `Input "url" of ${who(entry)} ${rule}`)
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    yield say('must be a whole URL that begins with http:// or https://')
  else if (parsed.username !== '' || parsed.password !== '')
    yield say('holds a user or a password: name a secret in "headers" instead, { "authorization": { "secret": "…" } }')
}

/** Headers whose whole point is to be secret. */
const CREDENTIALS = /^(authorization|cookie|x-api-key|api-key|apikey|x-auth-token|x-access-token|private-token)$/i

function* checkHeaders(entry: ActivityEntry): Generator<GraphProblem> {
  const headers = input(entry, 'headers')
  if (!isJsonObject(headers) || isExpressionValue(headers)) return
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !CREDENTIALS.test(name)) continue
    yield problem(
      place(entry, 'headers', name),
      'INVALID_INPUT',
      `Header "${name}" of ${who(entry)} holds a secret that everybody who reads the document sees: write { "secret": "name" } and set the secret on the node`,
    )
  }
}

function* checkQuery(entry: ActivityEntry): Generator<GraphProblem> {
  const query = input(entry, 'query')
  if (typeof query !== 'string' || statementKind(query) !== 'refused') return
  yield problem(
    place(entry, 'query'),
    'INVALID_INPUT',
    `Input "query" of ${who(entry)} must be one statement that begins with ${ALLOWED_VERBS}`,
  )
}

function* checkMail(entry: ActivityEntry): Generator<GraphProblem> {
  const { inputs } = entry.document
  if (inputs === undefined || inputs.text !== undefined || inputs.html !== undefined) return
  yield problem(place(entry), 'MISSING_INPUT', `${who(entry)} needs input "text" or "html": add one`)
}
