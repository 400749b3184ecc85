import { errorMessage } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson } from '../problem/request-errors.ts'
import { refuseUnreadable } from './readable.ts'
import { checkSound, DOCUMENT_LIMITS, type JsonLimits, PROTOTYPES_REFUSED } from './sound-json.ts'

const LARGE = 2_000_000

/** Bodies are JSON and nothing else. No body at all is `undefined`, whatever type it claims to be of. */
export function readJsonBodies(app: FastifyInstance, limits: JsonLimits): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) return done(null, undefined)
    try {
      refuseUnreadable(request)
    } catch (error) {
      return done(error as Error)
    }
    parse(request, text as string, (error, value) => {
      if (error !== null) return done(new MalformedJson({ reason: reasonOf(error) }))
      try {
        checkSound(text as string, value, isDocument(request) ? DOCUMENT_LIMITS : limits)
      } catch (unsound) {
        return done(unsound as Error)
      }
      return done(null, value)
    })
  })
}

/** What takes whole documents takes as much as fits into them. */
const isDocument = ({ routeOptions }: FastifyRequest): boolean => (routeOptions.bodyLimit ?? 0) > LARGE

function reasonOf(error: Error): string {
  const message = errorMessage(error.cause ?? error)
  return /prototype/i.test(message) ? PROTOTYPES_REFUSED : message
}
