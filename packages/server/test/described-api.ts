import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { OpenApi } from '../src/openapi/openapi.ts'

interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  readonly body: unknown
  /** What was sent as JSON. */
  readonly sent: unknown
}

/** Holds answers against the OpenAPI document, as a client generated from it would. */
export interface DescribedApi {
  check(answered: Answered): void
  /** Names of the operations that succeeded so far. */
  readonly called: ReadonlySet<string>
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
  // A path that names a thing goes before one that has a parameter in its place.
  const templates = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  const called = new Set<string>()
  return {
    called,
    check({ method, path, status, type, body, sent }) {
      if (status >= 400) {
        expect(type).toBe('application/problem+json; charset=utf-8')
        if (method !== 'HEAD') fits(PROBLEM, body)
      }
      const found = templates.find(({ form }) => form.test(path.split('?')[0]!))
      const operation = found && document.paths[found.path]?.[method.toLowerCase()]
      if (found === undefined || operation === undefined) return
      const at = `#/paths/${found.path.replaceAll('/', '~1')}/${method.toLowerCase()}`
      const described = operation.responses[status] as { content?: object } | undefined
      if (status >= 400) return
      called.add(operation.operationId)
      expect(Object.keys(operation.responses)).toContain(String(status))
      if (sent !== undefined) fits(`${at}/requestBody/content/application~1json/schema`, sent)
      if (described?.content === undefined) {
        expect(body).toBe('')
        return
      }
      const media = type.split(';')[0]!
      expect(Object.keys(described.content)).toContain(media)
      if (media !== 'application/json') return
      expect(type).toBe('application/json; charset=utf-8')
      fits(`${at}/responses/${status}/content/application~1json/schema`, body)
    },
  }
}
