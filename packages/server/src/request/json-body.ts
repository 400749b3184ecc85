import { errorMessage } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MalformedJson, UnsupportedMediaType } from '../problem/request-errors.ts'
import { checkSound, MOST_MEMBERS } from './sound-json.ts'

const LARGE = 2_000_000
const MOST_MEMBERS_OF_DOCUMENTS = 1_000_000

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
        checkSound(text as string, value, mostMembers(request))
      } catch (unsound) {
        return done(unsound as Error)
      }
      return done(null, value)
    })
  })
}

/** What takes whole documents takes as many members as fit into them. */
const mostMembers = ({ routeOptions }: FastifyRequest): number =>
  (routeOptions.bodyLimit ?? 0) > LARGE ? MOST_MEMBERS_OF_DOCUMENTS : MOST_MEMBERS

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
