import type { Json } from '@lockstep/base'
import type { FastifyRequest } from 'fastify'
import { InvalidRequest, MalformedJson } from '../problem/request-errors.ts'
import { checkSound, refusePrototypes } from '../request/sound-json.ts'

/** The parameters behind `?`, as a workflow gets them. Throws `INVALID_REQUEST` with the name of one that nothing can keep. */
export function requestQuery(request: FastifyRequest): Record<string, Json> {
  const query = { ...(request.query as Record<string, Json>) }
  for (const [name, value] of Object.entries(query)) {
    try {
      const pair = { [name]: value }
      checkSound(JSON.stringify(pair), pair)
      refusePrototypes(pair)
    } catch (error) {
      if (!MalformedJson.is(error)) throw error
      throw new InvalidRequest({ errors: [{ in: 'query', field: name, text: error.details.reason }] })
    }
  }
  return query
}
