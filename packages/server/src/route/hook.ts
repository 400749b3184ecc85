import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

export type MaybeLater = undefined | void | Promise<void>

/** A hook that waits only where there is something to wait for: a promise for each request and hook is felt in every answer. */
export const hook =
  (work: (request: FastifyRequest, reply: FastifyReply) => MaybeLater) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    let later: MaybeLater
    try {
      later = work(request, reply)
    } catch (error) {
      return done(error as Error)
    }
    if (later === undefined) done()
    else later.then(() => done(), done)
  }
