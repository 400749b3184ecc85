import type { IncomingMessage } from 'node:http'
import type { Random } from '@lockstep/base'
import type { FastifyInstance } from 'fastify'

const HEADER = 'x-request-id'
/** It stands in logs and answers as it came. */
const SOUND = /^[\w.:/+=-]{1,128}$/

/** The id that the caller, or a proxy, gave to a request; else one that this process counts up: every request needs one, few are looked at. */
export function requestIds(random: Random): (request: Pick<IncomingMessage, 'headers'>) => string {
  const server = Buffer.from(random.bytes(9)).toString('base64url')
  let count = 0
  return ({ headers }) => {
    const given = headers[HEADER]
    if (typeof given === 'string' && SOUND.test(given)) return given
    count += 1
    return `req_${server}.${count.toString(36)}`
  }
}

/** Every answer has it. */
export function tellRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(HEADER, request.id)
    done()
  })
}
