import type { FastifyInstance } from 'fastify'
import { refuseUnreadable } from './readable.ts'

/** Bodies of these media types are handed on as text, in this scope only. */
export function readTextBodies(app: FastifyInstance, types: readonly string[]): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...types], { parseAs: 'string' }, (request, text, done) => {
    try {
      refuseUnreadable(request)
    } catch (error) {
      return done(error as Error)
    }
    return done(null, text.length === 0 ? undefined : text)
  })
}
