import { expect } from 'vitest'
import type { TestApi } from './open-test-api.ts'

export const I = '/workflow-instances'
export const set = (id: string) => ({ id, type: 'set-variable', inputs: { name: 'n', value: 1 } })
export const ask = (id: string) => ({ id, type: 'wait-for-event', inputs: { event: id } })
export const variables = { n: { type: 'number', default: 0 } }

/** Publishes a document and starts it; the id of the instance. */
export async function started(
  api: TestApi,
  document: Readonly<Record<string, unknown>> & { readonly id: string },
  input?: unknown,
): Promise<string> {
  expect((await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })).status).toBe(201)
  return (await api.call('POST', I, { body: { definitionId: document.id, input } })).body.id
}

/** A busy machine is slow, not broken. */
export const rests = (api: TestApi, id: string, status: string) =>
  expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.status, { timeout: 60_000 }).toBe(status)
