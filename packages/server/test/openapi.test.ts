import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../src/openapi/openapi.ts'
import { apiRoutes } from '../src/routes/index.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let document: OpenApi
beforeAll(async () => {
  api = await openTestApi()
  document = (await api.call('GET', '/openapi.json')).body
})
afterAll(() => api.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('the OpenAPI description', () => {
  it('has every route once, and nothing else', () => {
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described.sort()).toEqual(
      apiRoutes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
    )
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
  })

  it('refers to nothing that it does not hold', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1]!,
    )
    expect(references).toContain('Instance')
    for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name)
  })

  it('names the parameters of every path, in their order', () => {
    for (const { path, operation } of operations()) {
      const named = operation.parameters.filter((each) => each.in === 'path').map((each) => `{${each.name}}`)
      expect(named).toEqual(path.match(/\{\w+\}/g) ?? [])
    }
  })

  it('tells of the problems that each operation can answer', () => {
    for (const { operation } of operations())
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '500', '503']))
    expect(Object.keys(document.paths['/workflow-instances/{id}/resume']!.post!.responses)).toEqual(
      expect.arrayContaining(['200', '404', '409', '410', '413']),
    )
  })
})
