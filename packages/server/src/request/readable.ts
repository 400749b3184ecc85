import type { FastifyRequest } from 'fastify'
import { UnsupportedMediaType } from '../problem/request-errors.ts'

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i
const UTF_8 = /^utf-?8$/i

/** Bodies are read as they come, in UTF-8: what says that it is something else would be misread. */
export function refuseUnreadable({ headers, routeOptions }: FastifyRequest): void {
  const { accepts } = routeOptions.config
  const wanted = accepts === undefined ? {} : { wanted: accepts.join(' or ') }
  const { 'content-encoding': encoding, 'content-type': type = '' } = headers
  if (encoding !== undefined && encoding !== 'identity')
    throw new UnsupportedMediaType({ found: `Content-Encoding ${encoding.slice(0, 80)}`, ...wanted })
  const charset = type.includes(';') ? CHARSET.exec(type)?.[1] : undefined
  if (charset !== undefined && !UTF_8.test(charset))
    throw new UnsupportedMediaType({ found: `Charset ${charset.slice(0, 80)}`, ...wanted })
}
