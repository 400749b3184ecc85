import type { FastifyRequest } from 'fastify'
import { UnsupportedMediaType } from '../problem/request-errors.ts'

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i
const UTF_8 = /^utf-?8$/i
const LONGEST_FOUND = 100

/** Bodies are read as they come, in UTF-8: what says that it is something else would be misread. */
export function refuseUnreadable(request: FastifyRequest): void {
  const { 'content-encoding': encoding, 'content-type': type = '' } = request.headers
  if (encoding !== undefined && encoding !== 'identity') throw unreadable(request, `Content-Encoding ${encoding}`)
  const charset = type.includes(';') ? CHARSET.exec(type)?.[1] : undefined
  if (charset !== undefined && !UTF_8.test(charset)) throw unreadable(request, `Charset ${charset}`)
}

function unreadable({ routeOptions }: FastifyRequest, found: string): Error {
  const { accepts } = routeOptions.config
  return new UnsupportedMediaType({
    found: found.slice(0, LONGEST_FOUND),
    ...(accepts === undefined ? {} : { wanted: accepts.join(' or ') }),
  })
}
