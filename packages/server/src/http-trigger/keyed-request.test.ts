import { hashJson, type Json } from '@lockstep/base'
import type { FoundEndpoint } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { keyedRequest } from './keyed-request.ts'

const endpoint = (more: Partial<FoundEndpoint> = {}): FoundEndpoint => ({
  ...{
    segments: [],
    methods: ['POST'],
    mode: 'sync',
    auth: 'public',
    waitMs: 0,
    maxBytes: 0,
    headers: [],
    body: undefined,
  },
  ...{ tenant: 'default', definitionId: 'prices', version: 1, activity: 'ask', ownHeaders: [] },
  ...{ path: '/shops/berlin', parameters: { shop: 'berlin' }, ...more },
})
const stranger = { kind: 'anonymous', id: 'anonymous' } as const
const known = { kind: 'key', id: 'key:1' } as const
const request = (headers: Record<string, string> = {}) => ({
  method: 'POST',
  query: { a: '1' },
  headers,
  body: { n: 1 },
})

describe('what is kept under an idempotency key', () => {
  it.each([
    ['a stranger', stranger, 'startByRequest prices ask '],
    ['somebody with credentials', known, 'startByRequest prices ask key:1'],
  ])('is for %s what it was before endpoints told strangers apart', (_, who, operation) => {
    const said = { method: 'POST', path: '/shops/berlin', query: { a: '1' }, body: { n: 1 } }
    const keyed = keyedRequest(endpoint(), who, request())
    expect(keyed.operation).toBe(operation)
    expect(hashJson(keyed.said as Json)).toBe(hashJson(said))
  })

  it('names the parameters where the path alone could mean others', () => {
    const path = '/a/b/c'
    const [one, other] = [
      { x: 'a/b', y: 'c' },
      { x: 'a', y: 'b/c' },
    ].map((parameters) => JSON.stringify(keyedRequest(endpoint({ path, parameters }), stranger, request()).said))
    expect(one).not.toBe(other)
  })

  it('is for each stranger its own, by the headers that the endpoint names, and for others by who they are', () => {
    const own = endpoint({ ownHeaders: ['x-customer'] })
    const keyed = (who: typeof stranger | typeof known, name: string) =>
      keyedRequest(own, who, request({ 'x-customer': name, 'user-agent': name }))
    expect(keyed(stranger, 'ann').operation).not.toBe(keyed(stranger, 'bob').operation)
    expect(keyed(stranger, 'ann').operation).not.toBe(keyedRequest(endpoint(), stranger, request()).operation)
    expect(keyed(known, 'try 1')).toEqual(keyed(known, 'try 2'))
  })
})
