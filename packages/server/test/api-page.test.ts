import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorStatus } from '../src/problem/error-status.ts'
import { problemType } from '../src/problem/to-problem.ts'
import { apiRoutes } from '../src/routes/index.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let page: string
beforeAll(async () => {
  api = await openTestApi()
  const answer = await api.app.inject({ url: '/docs/api' })
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'; style-src 'self'")
  page = answer.body
})
afterAll(() => api.close())

describe('the page of the API', () => {
  it('has every operation, with what it asks for', () => {
    const shown = [...page.matchAll(/<summary><b>(\w+)<\/b> <code>([^<]+)<\/code>/g)].map(
      ([, method, path]) => `${method} ${path}`,
    )
    const routes = apiRoutes.map(({ method, path }) => `${method} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(shown.sort()).toEqual(routes.sort())
    for (const { name, permission } of apiRoutes)
      expect(page).toContain(`Permission <code>${permission}</code>, in clients <code>${name}</code>`)
  })

  it('leads only to what is there, by names that are there once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    const leads = [...new Set([...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!))]
    const problems = Object.keys(errorStatus).map((code) => problemType(code as keyof typeof errorStatus))
    const known = [...ids.map((id) => `#${id}`), ...problems, '/docs/api/style.css', '/api/v1/openapi.json']
    expect(leads.filter((href) => !known.includes(href))).toEqual([])
    expect(leads.filter((href) => href.startsWith('/problems/')).length).toBeGreaterThan(30)
  })

  it('runs nothing, and has its style in a file', async () => {
    expect(page).not.toMatch(/<script|style=|<style|javascript:|\son\w+=/)
    const style = await api.app.inject({ url: '/docs/api/style.css' })
    expect([style.statusCode, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  })
})
