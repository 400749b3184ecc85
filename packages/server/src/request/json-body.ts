import { errorMessage } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson, UnsupportedMediaType } from '../problem/request-errors.ts'
import { checkSound } from './sound-json.ts'

/** Bodies are JSON and nothing else. No body at all is `undefined`, whatever type it claims to be of. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) return done(null, undefined)
    try {
      refuseEncoded(request)
    } catch (error) {
      return done(error as Error)
    }
    parse(request, text as string, (error, value) => {
      if (error !== null) return done(new MalformedJson({ reason: reasonOf(error) }))
      try {
        checkSound(text as string, value)
      } catch (unsound) {
        return done(unsound as Error)
      }
      return done(null, value)
    })
  })
}

function refuseEncoded(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new UnsupportedMediaType({ found: `Content-Encoding ${encoding}` })
}

function reasonOf(error: Error): string {
  const message = errorMessage(error.cause ?? error)
  return /prototype/i.test(message)
    ? 'members called __proto__ or constructor.prototype are refused: rename them'
    : message
}
