import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from './open-test-api.ts'

const D = '/workflow-definitions'
const I = '/workflow-instances'

let api: TestApi
let service: Server
let calls = 0
beforeAll(async () => {
  service = createServer((_request, response) => {
    calls += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ price: 7 }))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  api = await openTestApi()
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
})

const made = async (method: 'POST' | 'PUT', path: string, body: unknown) => {
  const answer = await api.call(method, path, { body })
  if (answer.status >= 400) expect.fail(`${path} answered ${JSON.stringify(answer.body)}`)
  return answer.body
}
const testRun = async (id: string, body: unknown) => made('POST', `${D}/${id}/test-runs`, body)
const ended = async (id: string) => (await api.call('GET', `/test-runs/${id}?wait=30s`)).body

/** Asks a service for a price, doubles it, waits for a word, and writes both down. */
const offer = (event = 'accepted') => ({
  id: 'offer',
  variables: { doubled: { type: 'number', default: 0 } },
  activities: [
    { id: 'nightly', type: 'cron', inputs: { cron: '* * * * *' } },
    { id: 'ask', type: 'script', inputs: { code: 'return { price: input.base }' } },
    { id: 'double', type: 'set-variable', inputs: { name: 'doubled', value: { $expr: 'steps.ask.output.price * 2' } } },
    { id: 'word', type: 'wait-for-event', inputs: { event } },
    { id: 'note', type: 'set-output', inputs: { name: 'price', value: { $expr: 'vars.doubled' } } },
  ],
  connections: [
    { from: 'nightly', to: 'ask' },
    { from: 'ask', to: 'double' },
    { from: 'double', to: 'word' },
    { from: 'word', to: 'note' },
  ],
})

describe('a test run', () => {
  it('runs the draft, is flagged, and stands in no list of real ones', async () => {
    await made('POST', D, offer())
    const run = await testRun('offer', { input: { base: 21 } })
    expect(run).toMatchObject({ definitionId: 'offer', test: true })
    await expect.poll(async () => (await api.call('GET', `/test-runs/${run.id}`)).body.status).toBe('suspended')
    expect((await api.call('GET', `/test-runs/${run.id}/state`)).body.variables).toEqual({ doubled: 42 })

    await made('POST', '/events', { name: 'accepted' })
    expect((await api.call('GET', `/test-runs/${run.id}`)).body.status).toBe('suspended')
    expect((await api.call('GET', `${I}/${run.id}`)).status).toBe(404)
    expect((await api.call('GET', I)).body.items).toEqual([])
    expect((await api.call('GET', '/schedules')).body.items).toEqual([])
    expect((await api.call('GET', `${D}/offer/versions`)).body.items).toEqual([])
    expect((await api.call('GET', '/test-runs?definition=offer')).body.items).toMatchObject([
      { id: run.id, test: true },
    ])

    await made('POST', `/test-runs/${run.id}/resume`, { bookmark: 'accepted', payload: {} })
    expect(await ended(run.id)).toMatchObject({ status: 'completed', output: { price: 42 } })
    const facts = (await api.call('GET', `/test-runs/${run.id}/journal`)).body.items
    expect(facts.at(-1).kind).toBe('ended')
  })

  it('does not execute what is pinned, and ends where it was told to', async () => {
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/price`
    const priced = { ...offer(), id: 'priced' }
    priced.activities[1] = { id: 'ask', type: 'http-request', inputs: { method: 'GET', url } as never }
    await made('POST', D, priced)
    const run = await testRun('priced', {
      pins: { ask: { output: { price: 5 } } },
      until: 'double',
    })
    expect(await ended(run.id)).toMatchObject({ status: 'completed' })
    expect(calls).toBe(0)
    const facts = (await api.call('GET', `/test-runs/${run.id}/journal`)).body.items
    expect(facts.filter(({ kind }: { kind: string }) => kind === 'completed').map(stepAndBy)).toEqual([
      ['nightly', undefined],
      ['ask', 'pin'],
      ['double', undefined],
    ])
    expect((await api.call('GET', `/test-runs/${run.id}/state`)).body.variables).toEqual({ doubled: 10 })
    const refused = await api.call('POST', `${D}/priced/test-runs`, { body: { until: 'nowhere' } })
    expect([refused.status, refused.body.code]).toEqual([422, 'TEST_STEP_UNKNOWN'])
  })

  it('pins whole containers too, and leaves by the outcome that the pin names', async () => {
    await made('POST', D, {
      id: 'looped',
      activities: [
        { id: 'each', type: 'for-each', inputs: { items: [1, 2] }, body: { activities: [say('in')] } },
        { id: 'way', type: 'if', inputs: { condition: true } },
        { id: 'no', type: 'set-output', inputs: { name: 'way', value: { $expr: 'steps.each.output' } } },
      ],
      connections: [
        { from: 'each', to: 'way' },
        { from: 'way', outcome: 'false', to: 'no' },
      ],
    })
    const pins = { each: { output: 'pinned' }, way: { output: null, outcome: 'false' } }
    const run = await testRun('looped', { pins })
    expect(await ended(run.id)).toMatchObject({ status: 'completed', output: { way: 'pinned' } })
  })

  it('runs the workflows that it starts as test runs too, and can be cancelled', async () => {
    await made('PUT', `${D}/inner`, {
      id: 'inner',
      activities: [{ id: 'w', type: 'wait-for-event', inputs: { event: 'x' } }],
    })
    await made('POST', D, {
      id: 'outer',
      activities: [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'inner', input: {}, wait: true } }],
    })
    const run = await testRun('outer', {})
    await expect
      .poll(async () => (await api.call('GET', '/test-runs?definition=inner')).body.items)
      .toMatchObject([{ parentId: run.id, test: true }])
    expect((await api.call('POST', `/test-runs/${run.id}/cancel`, { body: {} })).status).toBe(202)
    expect((await ended(run.id)).status).toBe('cancelled')
    expect((await api.call('GET', I)).body.items).toEqual([])
  })

  it('is refused for a draft with errors', async () => {
    await made('POST', D, { id: 'broken', activities: [{ id: 'a', type: 'no-such-type' }] })
    const refused = await api.call('POST', `${D}/broken/test-runs`, { body: {} })
    expect([refused.status, refused.body.code]).toEqual([422, 'DEFINITION_INVALID'])
  })
})

describe('an expression that is being written', () => {
  it('gives what the engine computed there, and sees what the step saw', async () => {
    const { id: _, ...rest } = offer('agreed')
    await made('PUT', `${D}/real`, {
      id: 'real',
      ...rest,
      activities: rest.activities.slice(1),
      connections: rest.connections.slice(1),
    })
    const run = await made('POST', I, { definitionId: 'real', input: { base: 4 } })
    await expect.poll(async () => (await api.call('GET', `${I}/${run.id}`)).body.status).toBe('suspended')
    const evaluate = (body: unknown) => made('POST', `${I}/${run.id}/evaluate`, body)
    const same = await evaluate({ expression: 'steps.ask.output.price * 2', step: 'double' })
    expect(same).toMatchObject({ status: 'value', value: 8, exact: true })
    expect((await api.call('GET', `${I}/${run.id}/state`)).body.variables.doubled).toBe(same.value)
    expect(await evaluate({ expression: 'vars.doubled', step: 'double' })).toMatchObject({ value: 0 })
    expect(await evaluate({ expression: 'vars.doubled', step: 'new-step' })).toMatchObject({ value: 8, exact: false })
    expect((await api.call('GET', `${I}/${run.id}/scope?step=double`)).body.scope).toEqual({
      input: { base: 4 },
      vars: { doubled: 0 },
      steps: { ask: { output: { price: 4 } } },
    })
    await made('POST', `${I}/${run.id}/resume`, { bookmark: 'agreed' })
    await expect.poll(async () => (await api.call('GET', `${I}/${run.id}`)).body.status).toBe('completed')
    expect(await evaluate({ expression: 'steps.ask.output.price' })).toMatchObject({ value: 4, exact: false })
  })

  it('is told where it cannot be read, what it threw, and which limit it met; nothing changes', async () => {
    const run = await testRun('looped', {})
    await ended(run.id)
    const { revision } = await ended(run.id)
    const evaluate = (expression: string) => made('POST', `${I}/${run.id}/evaluate`, { expression })
    expect(await evaluate('input.+')).toMatchObject({ status: 'invalid', line: 1, column: 7, value: null })
    expect(await evaluate('input.a.b')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('TypeError'),
    })
    expect(await evaluate('(() => { for (;;); })()')).toMatchObject({ status: 'limit' })
    expect((await ended(run.id)).revision).toBe(revision)
  })
})

describe('an import', () => {
  it('says by line and column what is wrong, and writes nothing', async () => {
    const dry = (raw: string) =>
      api.call('POST', `${D}/import?dryRun=true`, { raw, headers: { 'content-type': 'text/plain' } })
    const [document] = (await dry('id: fresh\nactivities:\n  - id: a\n    type: nope\n')).body.documents
    expect(document).toMatchObject({ outcome: 'invalid', problems: [{ line: 4, column: 5 }] })
    const [broken] = (await dry('{\n  "id": "fresh",\n  "activities": ]\n}')).body.documents
    expect(broken.problems).toMatchObject([{ code: 'UNREADABLE_TEXT', line: 3, column: 17 }])
    expect((await api.call('GET', `${D}/fresh`)).status).toBe(404)
  })
})

describe('the how-to pages', () => {
  const blocks = (page: string, language: string): readonly string[] => {
    const text = readFileSync(new URL(`../../../docs/how-to/${page}.md`, import.meta.url), 'utf8')
    return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code!)
  }

  it('of tests says what runs, and what comes of it', async () => {
    const [start, expression] = blocks('test-a-workflow', 'json').map((code) => JSON.parse(code))
    const run = await testRun('offer', start)
    expect(await ended(run.id)).toMatchObject({ status: 'completed', variables: { doubled: 10 } })
    expect(await made('POST', `${I}/${run.id}/evaluate`, expression)).toMatchObject({ status: 'value', value: 10 })
  })

  it('of versions says what an import finds', async () => {
    const [raw = ''] = blocks('versions', 'yaml')
    const answer = await api.call('POST', `${D}/import?dryRun=true`, { raw, headers: { 'content-type': 'text/plain' } })
    expect(answer.body.documents).toMatchObject([{ outcome: 'invalid', problems: [{ line: 4, column: 5 }] }])
  })
})

const say = (id: string) => ({ id, type: 'log', inputs: { message: id, level: 'debug' } })
const stepAndBy = ({ data }: { data: { step: string; by?: string } }) => [data.step, data.by]
