import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { OpenApi } from '../src/openapi/openapi.ts'

interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  readonly body: unknown
}

/** Holds answers against the OpenAPI document, as a client generated from it would. */
export interface DescribedApi {
  check(answered: Answered): void
}

const PROBLEM = '#/components/schemas/Problem'

export function describedApi(document: OpenApi): DescribedApi {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  })
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const fits = (pointer: string, body: unknown): void => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` })
    compiled.set(pointer, validate)
    expect(validate(body) ? [] : validate.errors).toEqual([])
  }
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return {
    check({ method, path, status, type, body }) {
      if (status >= 400) {
        expect(type).toBe('application/problem+json; charset=utf-8')
        if (method !== 'HEAD') fits(PROBLEM, body)
      }
      const found = templates.find(({ form }) => form.test(path.split('?')[0]!))
      const operation = found && document.paths[found.path]?.[method.toLowerCase()]
      if (found === undefined || operation === undefined || status >= 400) return
      expect(Object.keys(operation.responses)).toContain(String(status))
      expect(type).toBe('application/json; charset=utf-8')
      fits(
        `#/paths/${found.path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`,
        body,
      )
    },
  }
}
