import { randomUUID } from 'node:crypto'
import { postgresDeadLetters } from '@lockstep/postgres'
import { expect, vi } from 'vitest'
import { approval } from '../../packages/server/test/documents.ts'
import { asking, flaky, resizing } from '../../packages/server/test/operations.ts'
import type { SecuredApi, Sent } from './open-secured-api.ts'

/** One of everything that a tenant can have, by what the ids of routes are called in `ids`. */
export interface TenantWorld {
  readonly key: string
  readonly ids: Readonly<Record<WorldId, string>>
}

export type WorldId =
  | 'definition'
  | 'instance'
  | 'bookmark'
  | 'incident'
  | 'fingerprint'
  | 'deadLetter'
  | 'operation'
  | 'task'
  | 'humanTask'
  | 'schedule'
  | 'apiKey'
  | 'user'
  | 'secret'
  | 'testRun'

export async function furnish(api: SecuredApi, tenant: string): Promise<TenantWorld> {
  const key = await api.keyOf('admin', { tenant, name: `admin of ${tenant}` })
  const done = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => {
    const sent: Sent = { method, path, as: key, ...(body === undefined ? {} : { body }) }
    const answer = await api.send(sent)
    if (answer.status >= 400) expect.fail(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  for (const document of [approval('shared'), flaky('flaky'), resizing('resizing'), asking('asking')])
    await done('PUT', `/workflow-definitions/${document.id}`, document)
  const instance = (await done('POST', '/workflow-instances', { definitionId: 'shared' })).id
  const bookmark = await vi.waitFor(
    async () => (await done('GET', `/workflow-instances/${instance}`)).waitingFor[0].bookmarkId,
    { timeout: 60_000 },
  )
  await done('POST', '/workflow-instances', { definitionId: 'flaky', wait: '30s' })
  await done('POST', '/workflow-instances', { definitionId: 'resizing' })
  await done('POST', '/workflow-instances', { definitionId: 'asking' })
  const first = async (path: string): Promise<string> => {
    const look = async (): Promise<string> => {
      const id = (await done('GET', path)).items[0]?.id
      expect(id).toBeDefined()
      return id
    }
    return vi.waitFor(look, { timeout: 60_000 })
  }
  await done('POST', '/schedules', { id: 'nightly', trigger: { cron: '0 3 * * *' }, definitionId: 'shared' })
  await done('PUT', '/flow-policies/shared', { concurrency: { limit: 5 } })
  await done('PUT', '/limits/mail', { concurrency: 2 })
  await done('POST', '/circuit-breakers/mail/trip', { openFor: '1h', reason: 'upkeep' })
  await done('PUT', '/retention/rules', { definitionId: 'shared', status: 'completed', keep: '1d' })
  await done('PUT', '/secrets/shared-token', { value: 'of one tenant alone' })
  const letter = { id: randomUUID(), tenant, definitionId: 'shared', source: 'rabbitmq:orders', code: 'UNREADABLE' }
  const nothing = { dedupeKey: undefined, correlationId: undefined, raw: Buffer.from('{') }
  await postgresDeadLetters(api.db).put({ ...letter, ...nothing, reason: 'it is not JSON' })
  const user = `ana-of-${tenant}`
  await done('POST', '/users', { name: user, password: 'a good password', role: 'viewer' })
  const idle = { action: 'cancel', target: { filter: { definition: 'shared', status: 'completed' } } }
  const operation = (await done('POST', '/batch-operations', idle)).id
  return {
    key,
    ids: {
      ...{ secret: 'shared-token', definition: 'shared', schedule: 'nightly', instance, bookmark },
      ...{ operation, user },
      testRun: (await done('POST', '/workflow-definitions/shared/test-runs')).id,
      incident: await first('/incidents'),
      fingerprint: (await done('GET', '/incidents/groups')).items[0].fingerprint,
      deadLetter: await first('/dead-letters'),
      task: await first('/tasks'),
      humanTask: await first('/human-tasks'),
      apiKey: (await done('GET', '/api-keys')).items[0].id,
    },
  }
}
