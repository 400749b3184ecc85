import { lockstepClient, type OperationName, operations, ServerProblem } from '@lockstep/api'
import { expect } from 'vitest'
import type { Reply, Sent, TestApi } from './open-test-api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const ROOT = 'http://test/api/v1'

/** Operations by what they look like on the wire; those that name a thing go before those with a parameter in its place. */
const forms = Object.entries(operations)
  .map(([name, { method, path }]) => ({
    name: name as OperationName,
    method,
    names: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
    form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  }))
  .sort((a, b) => a.names.length - b.names.length)

/**
 * Sends by the method of the typed client that the path belongs to. The client's own requests go on to `api.call`, which holds both directions
 * against the OpenAPI document.
 */
export function throughClient(api: TestApi): (method: Method, path: string, sent?: Sent) => Promise<Reply> {
  const client = lockstepClient({
    url: 'http://test',
    retries: 0,
    fetch: async (target, { method, body, headers } = {}) => {
      const given = headers as Record<string, string>
      const isJson = given['content-type'] === 'application/json'
      const answer = await api.call(method as Method, String(target).slice(ROOT.length), {
        ...(body === undefined ? {} : isJson ? { body: JSON.parse(String(body)) } : { raw: String(body) }),
        headers: given,
      })
      const isEmpty = answer.status === 204 || answer.body === ''
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      return new Response(isEmpty ? null : text, {
        status: answer.status,
        headers: Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ) as [string, string][],
      })
    },
  })
  return async (method, path, sent = {}) => {
    const [place = '', search = ''] = path.split('?')
    const { 'if-match': ifMatch, 'content-type': type, ...others } = sent.headers ?? {}
    const found = forms.find((each) => each.method === method && each.form.test(place))
    // What the client leaves to the browser or to its callers: conditional reads, and paths that are none.
    if (found === undefined || Object.keys(others).length > 0) return api.call(method, path, sent)
    const values = found.form.exec(place)!.slice(1).map(decodeURIComponent)
    const request = {
      ...Object.fromEntries(found.names.map((name, at) => [name, values[at]])),
      ...(search === '' ? {} : { query: Object.fromEntries(new URLSearchParams(search)) }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
      ...(type === undefined ? {} : { type }),
      ...('body' in sent ? { body: sent.body } : 'raw' in sent ? { body: sent.raw } : {}),
    }
    const call = client[found.name] as (request: object) => Promise<{ status: number; body: unknown; headers: Headers }>
    const { status, body, headers } = await call(request).catch((error: unknown) => {
      if (!ServerProblem.is(error)) throw error
      const { status: code, problem } = error.details
      return expect.fail(`${method} ${path} answered ${code} ${JSON.stringify(problem)}`)
    })
    return { status, body: body ?? '', headers: Object.fromEntries(headers) }
  }
}
