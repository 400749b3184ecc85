import type { FastifyInstance } from 'fastify'
import { UnsupportedMediaType } from '../problem/request-errors.ts'

/** Bodies of these media types are handed on as text, in this scope only. */
export function readTextBodies(app: FastifyInstance, types: readonly string[]): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...types], { parseAs: 'string' }, (request, text, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return done(new UnsupportedMediaType({ found: `Content-Encoding ${encoding}` }))
    return done(null, text.length === 0 ? undefined : text)
  })
}
