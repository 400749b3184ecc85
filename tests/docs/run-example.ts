/** Runs the example document of an activity as its `x-example` tells, and compares what comes of it. */
import type { Json, JsonObject } from '@lockstep/base'
import { verifyWebhook } from '@lockstep/engine'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { until } from '../faults/until.ts'
import { type ActivitySite, SECRETS } from './activity-site.ts'

interface EventSaid {
  readonly name: string
  readonly correlationId?: string
  readonly payload?: Json
}

/** What a file says about its run. Absent `by`: it is started with `input`. */
export interface ExampleRun {
  readonly input?: Json
  readonly by?:
    | 'schedule'
    | { readonly event: EventSaid }
    | { readonly request: { readonly method: string; readonly path: string; readonly body?: Json } }
    | { readonly message: { readonly queue: string; readonly body: Json } }
  /** What happens while it waits. */
  readonly then?: readonly {
    readonly event?: EventSaid
    readonly person?: { readonly outcome: string; readonly data: Json; readonly by: string }
    readonly worker?: { readonly task: string; readonly output: Json }
  }[]
  /** What the outside gets. */
  readonly receives?: {
    readonly http?: { readonly method: string; readonly url: string; readonly body: Json; readonly answer?: Json }
    readonly mail?: { readonly to: readonly string[]; readonly contains: string }
    readonly redis?: { readonly channel: string; readonly message: Json }
    readonly rabbitmq?: { readonly queue: string; readonly message: Json }
  }
  readonly logs?: { readonly level: string; readonly message: string }
  readonly starts?: { readonly definitionId: string; readonly output: Json }
  readonly answer?: { readonly status: number; readonly body?: Json }
  readonly status?: string
  readonly output?: Json
  readonly error?: { readonly code: string; readonly message: string }
}

export interface ExampleDocument extends JsonObject {
  readonly id: string
  readonly 'x-example'?: ExampleRun & JsonObject
}

/** The documents of a file; the last one is the example. */
export const documentsOf = (text: string): readonly ExampleDocument[] =>
  parseAllDocuments(text).map((each) => each.toJS() as ExampleDocument)

const api = (path: string): string => `/api/v1${path}`

export async function runExample(site: ActivitySite, text: string): Promise<void> {
  const here = text.replaceAll('https://example.com', site.http.url)
  const documents = documentsOf(here)
  const { id, 'x-example': run = {} as ExampleRun } = documents.at(-1)!
  const receives = await expectOutside(site, run)
  await publish(site, here, documents)

  const { instanceId, answer } = await begin(site, id, run)
  for (const each of run.then ?? []) await happen(site, instanceId, each)
  const end = await ended(site, instanceId)
  expect({ status: end.status, error: end.error }).toMatchObject({
    status: run.status ?? 'completed',
    error: run.error === undefined ? null : run.error,
  })
  if (run.output !== undefined) expect(end.output).toEqual(run.output)
  if (run.answer !== undefined) expect(answer).toMatchObject(run.answer)
  if (run.logs !== undefined) expect(site.log).toContainEqual(expect.objectContaining(run.logs))
  if (run.starts !== undefined) await expectStarted(site, run.starts)
  await receives()
}

/** As a user does with a file: import all of it, then publish. Not even a warning is left. */
async function publish(site: ActivitySite, text: string, documents: readonly ExampleDocument[]): Promise<void> {
  const imported = await site.call('POST', api('/workflow-definitions/import?format=yaml'), text)
  const wanted = documents.map(({ id }) => ({ id, outcome: 'created', problems: [] }))
  expect(imported).toMatchObject({ status: 200, body: { written: true, documents: wanted } })
  for (const { id } of documents)
    expect(await site.call('POST', api(`/workflow-definitions/${id}/publish`))).toMatchObject({ status: 200 })
}

async function begin(site: ActivitySite, definitionId: string, { by, input }: ExampleRun) {
  if (by === undefined) {
    const { status, body } = await site.call('POST', api('/workflow-instances'), { definitionId, input: input ?? null })
    expect(status).toBe(201)
    return { instanceId: body.id as string, answer: undefined }
  }
  let answer: { readonly status: number; readonly body: unknown } | undefined
  if (by === 'schedule') {
    const schedules = async () => (await site.call('GET', api(`/schedules?definition=${definitionId}`))).body.items
    await until('its schedule is there', async () => (await schedules()).length > 0)
    const items = await schedules()
    expect(items).toHaveLength(1)
    await site.call('POST', api(`/schedules/${encodeURIComponent(items[0].id)}/trigger`), {})
  } else if ('event' in by) {
    expect((await site.call('POST', api('/events'), by.event)).body).toMatchObject({ started: 1 })
  } else if ('request' in by) {
    answer = await site.call(by.request.method, `/workflows${by.request.path}`, by.request.body)
  } else {
    const publisher = site.rabbitmq.createPublisher({ confirm: true })
    await publisher.send({ routingKey: by.message.queue, durable: true }, by.message.body)
    await publisher.close()
  }
  return { instanceId: await onlyInstance(site, definitionId), answer }
}

async function onlyInstance(site: ActivitySite, definitionId: string): Promise<string> {
  let found: readonly { readonly id: string }[] = []
  await until(`${definitionId} has started`, async () => {
    found = (await site.call('GET', api(`/workflow-instances?definition=${definitionId}`))).body.items
    return found.length > 0
  })
  expect(found).toHaveLength(1)
  return found[0]!.id
}

async function happen(site: ActivitySite, instanceId: string, what: NonNullable<ExampleRun['then']>[number]) {
  if (what.event !== undefined) {
    // An event that comes before anybody waits for it is not kept for ever: it comes when it is waited for.
    await until(
      'it waits',
      async () => (await site.call('GET', api(`/workflow-instances/${instanceId}`))).body.status === 'suspended',
    )
    expect((await site.call('POST', api('/events'), what.event)).body).toMatchObject({ matched: 1 })
  }
  if (what.person !== undefined) {
    const list = async () => (await site.call('GET', api(`/human-tasks?instanceId=${instanceId}`))).body.items
    await until('a person is asked', async () => (await list()).length === 1)
    const [task] = await list()
    expect(await site.call('POST', api(`/human-tasks/${task.id}/complete`), what.person)).toMatchObject({ status: 200 })
  }
  if (what.worker !== undefined) {
    const claim = { tasks: [what.worker.task], worker: 'example', wait: '20s' }
    const { body } = await site.call('POST', api('/tasks/claim'), claim)
    const [task] = body.tasks
    const done = { lease: task.lease, output: what.worker.output }
    expect(await site.call('POST', api(`/tasks/${task.id}/complete`), done)).toMatchObject({ status: 200 })
  }
}

async function ended(site: ActivitySite, instanceId: string) {
  const { body } = await site.call('GET', api(`/workflow-instances/${instanceId}?wait=30s`))
  expect(body.finishedAt, JSON.stringify(body)).not.toBeNull()
  return body
}

async function expectStarted(site: ActivitySite, { definitionId, output }: NonNullable<ExampleRun['starts']>) {
  expect((await ended(site, await onlyInstance(site, definitionId))).output).toEqual(output)
}

/** Gets the outside ready; what comes back looks whether everything has arrived there. */
async function expectOutside(site: ActivitySite, { receives = {}, by }: ExampleRun): Promise<() => Promise<void>> {
  const { http, mail, redis, rabbitmq } = receives
  const queue = rabbitmq?.queue ?? (typeof by === 'object' && 'message' in by ? by.message.queue : undefined)
  if (queue !== undefined) await site.rabbitmq.queueDeclare({ queue, durable: true })
  if (http?.answer !== undefined) {
    const body = JSON.stringify(http.answer)
    site.http.answer = () => ({ body, headers: { 'content-type': 'application/json' } })
  } else site.http.answer = () => ({})
  const heard = redis === undefined ? [] : await site.listen(redis.channel)
  const before = site.http.received.length
  return async () => {
    const [request, ...more] = site.http.received.slice(before)
    if (http !== undefined) {
      expect({ ...request, body: JSON.parse(request?.body ?? 'null') }).toMatchObject({
        ...{ method: http.method, url: http.url, body: http.body },
      })
      if (request?.headers['webhook-id'] !== undefined)
        expect(verifyWebhook(request, { secret: SECRETS['partner-key']! })).toMatchObject({ ok: true })
    }
    expect(more).toEqual([])
    if (mail !== undefined)
      expect(site.mail.delivered).toContainEqual({ to: mail.to, raw: expect.stringContaining(mail.contains) })
    if (redis !== undefined) expect(heard.map((each) => JSON.parse(each))).toEqual([redis.message])
    if (rabbitmq !== undefined)
      expect(await site.rabbitmq.basicGet({ queue: rabbitmq.queue, noAck: true })).toMatchObject({
        body: rabbitmq.message,
      })
  }
}
