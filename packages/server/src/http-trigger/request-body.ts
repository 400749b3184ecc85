import type { Json } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../request/json-body.ts'
import { refuseUnreadable } from '../request/readable.ts'
import { checkSound, type JsonLimits, refusePrototypes } from '../request/sound-json.ts'

/** As the answer to others names them. */
export const ACCEPTED = ['application/json', 'application/x-www-form-urlencoded', 'text/…']

const sizes = new WeakMap<FastifyRequest, number>()

/** How large the body was. */
export const bodyBytes = (request: FastifyRequest): number => sizes.get(request) ?? 0

/** JSON, forms and text; nothing that is compressed. */
export function readWorkflowBodies(app: FastifyInstance, limits: JsonLimits): void {
  app.removeAllContentTypeParsers()
  const read = (
    types: string | RegExp,
    parse: (text: string) => Json,
    asJson: (text: string, value: Json) => string,
  ): void => {
    app.addContentTypeParser(types, { parseAs: 'string' }, async (request: FastifyRequest, given: string | Buffer) => {
      const text = String(given)
      sizes.set(request, Buffer.byteLength(text))
      refuseUnreadable(request)
      if (text === '') return undefined
      const value = parse(text)
      checkSound(asJson(text, value), value, limits)
      return value
    })
  }
  read(/^application\/(?:[\w.+-]+\+)?json\b/, parseJson, (text) => text)
  read('application/x-www-form-urlencoded', fieldsOf, written)
  read(/^text\//, (text) => text, written)
}

const written = (_text: string, value: Json): string => JSON.stringify(value)

/** A field that comes more than once is a list. */
function fieldsOf(text: string): Json {
  const fields = new Map<string, Json>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name)
    if (before === undefined) fields.set(name, value)
    else if (Array.isArray(before)) before.push(value)
    else fields.set(name, [before, value])
  }
  const found = Object.fromEntries(fields)
  refusePrototypes(found)
  return found
}
