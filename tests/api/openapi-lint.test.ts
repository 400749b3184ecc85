import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

const lint = async (source: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, config })
  return problems.map(({ severity, ruleId, message, location: [at] }) => {
    const place = at !== undefined && 'pointer' in at ? at.pointer : ''
    return `${severity} ${ruleId}: ${message} (${place})`
  })
}

describe('the OpenAPI document that a server publishes', () => {
  it('has nothing that the recommended rules of a linter object to, not even a warning', async () => {
    const { body } = await api.call('GET', '/openapi.json')
    expect(await lint(JSON.stringify(body))).toEqual([])
  })

  it('would be objected to if it named an operation twice', async () => {
    const { body } = await api.call('GET', '/openapi.json')
    const twice = structuredClone(body)
    twice.paths['/schedules'].get.operationId = twice.paths['/schedules'].post.operationId
    expect(await lint(JSON.stringify(twice))).toContainEqual(expect.stringContaining('operation-operationId-unique'))
  })
})
