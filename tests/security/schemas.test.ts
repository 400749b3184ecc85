/** Schemas that a designer may save, held against what anybody may send: a node stays at hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
let designer = ''
beforeAll(async () => {
  api = await openSecuredApi()
  designer = await api.keyOf('designer')
})
afterAll(() => api?.[Symbol.asyncDispose]())

const save = (id: string, more: object, endpoint?: object) =>
  api.send({
    ...{ method: 'PUT', path: `/workflow-definitions/${id}`, as: designer },
    body: {
      id,
      activities: [
        endpoint === undefined
          ? { id: 'in', type: 'log', inputs: { message: 'hello' } }
          : { id: 'in', type: 'http-endpoint', inputs: { path: `/${id}`, body: endpoint } },
      ],
      connections: [],
      ...more,
    },
  })

const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => ({ a: inner }), {})
const doubling = { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] }

describe('a schema of a designer', () => {
  it('that doubles its work with every level refuses the input and leaves the node at hand', async () => {
    expect((await save('doubling', { input: doubling })).status).toBeLessThan(300)
    const body = { definitionId: 'doubling', input: nested(50) }
    const told = await api.send({ method: 'POST', path: '/workflow-instances', as: designer, body })
    expect([told.status, told.body.code]).toEqual([422, 'INPUT_INVALID'])
    expect(JSON.stringify(told.body)).toContain('takes too long to check: send less, or make its schema simpler')
    const shallow = { definitionId: 'doubling', input: nested(5) }
    expect((await api.send({ method: 'POST', path: '/workflow-instances', as: designer, body: shallow })).status).toBe(
      201,
    )
  })

  it('of a request is bounded too, and a list that is wrong everywhere is told a few times', async () => {
    const item = { anyOf: [{ type: 'string' }, { type: 'object', properties: { k: { $ref: '#/$defs/item' } } }] }
    expect((await save('wrong', {}, { items: { $ref: '#/$defs/item' }, $defs: { item } })).status).toBeLessThan(300)
    const answer = await api.app.inject({
      ...{ method: 'POST', url: '/workflows/wrong', headers: { 'content-type': 'application/json' } },
      payload: JSON.stringify(Array(50_000).fill(1)),
    })
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'INPUT_INVALID'])
    expect(answer.json().problems.length).toBeLessThanOrEqual(20)
  })

  it('holds whatever its members are called', async () => {
    expect((await save('named', {}, { properties: { not: { type: 'string' } } })).status).toBeLessThan(300)
    const send = (payload: object) => api.app.inject({ method: 'POST', url: '/workflows/named', payload })
    expect((await send({ not: 7 })).statusCode).toBe(422)
    expect((await send({ not: 'text' })).statusCode).toBeLessThan(300)
  })

  it.each([
    ['input', { input: { anyOf: [{ $ref: '#' }] } }, undefined, '/input'],
    ['request', {}, { $ref: '#' }, '/activities/0/inputs/body'],
  ])('of the %s that leads back to itself is refused where it stands', async (name, more, endpoint, pointer) => {
    const { status, body } = await save(`circle-of-${name}`, more, endpoint)
    expect(status).toBe(422)
    expect(body.problems).toMatchObject([
      {
        pointer,
        text: expect.stringContaining('leads back to itself at the same place: put it under properties or items'),
      },
    ])
  })
})
