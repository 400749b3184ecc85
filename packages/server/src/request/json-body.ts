import type { Json } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson } from '../problem/request-errors.ts'
import { jsonFault } from './json-fault.ts'
import { refuseUnreadable } from './readable.ts'
import { checkSound, DOCUMENT_LIMITS, type JsonLimits, refusePrototypes } from './sound-json.ts'

const LARGE = 2_000_000

/** Bodies are JSON and nothing else. No body at all is `undefined`, whatever type it claims to be of. */
export function readJsonBodies(app: FastifyInstance, limits: JsonLimits): void {
  /** What is shorter passes no limit, wherever it goes. */
  const shortest = Math.min(2 * limits.depth, 4 * limits.members)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) return done(null, undefined)
    try {
      refuseUnreadable(request)
      const value = parseJson(text as string)
      checkSound(text as string, value, text.length > shortest && isDocument(request) ? DOCUMENT_LIMITS : limits)
      return done(null, value)
    } catch (error) {
      return done(error as Error)
    }
  })
}

/** Throws `MALFORMED_JSON` with what is wrong, for members that could be taken for a prototype too. */
export function parseJson(text: string): Json {
  const value = parsed(text.startsWith('\ufeff') ? text.slice(1) : text)
  // What cannot even hold the name of a prototype needs no search for one.
  if (text.includes('\\') || text.includes('__proto__') || text.includes('constructor')) refusePrototypes(value)
  return value
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new MalformedJson({ reason: jsonFault(text, error) })
  }
}

/** What takes whole documents takes as much as fits into them. */
const isDocument = ({ routeOptions }: FastifyRequest): boolean => (routeOptions.bodyLimit ?? 0) > LARGE
