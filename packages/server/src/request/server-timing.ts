/**
 * Server-Timing: what a request took, and how much of it its own statements did. For people who develop: how long things take tells strangers
 * what there is, so they are not told. Where it is off there is no hook, and nothing is kept.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@lockstep/base'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '../auth/same-site.ts'

interface Spent {
  readonly began: number
  databaseMs: number
}

const current = new AsyncLocalStorage<Spent>()
const spents = new WeakMap<FastifyRequest, Spent>()

/** A statement was answered, to whoever sent it: a request, or the engine itself. */
export function noteStatement(ms: number): void {
  const spent = current.getStore()
  if (spent !== undefined) spent.databaseMs += ms
}

export function tellServerTiming(app: FastifyInstance, clock: Clock): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const spent = { began: clock.monotonic(), databaseMs: 0 }
    spents.set(request, spent)
    current.run(spent, done)
  })
  // Once more: what was current is forgotten while the body comes in.
  app.addHook('preHandler', (request, _reply, done) => {
    const spent = spents.get(request)
    if (spent === undefined) done()
    else current.run(spent, done)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const spent = spents.get(request)
    if (spent !== undefined && mayKnow(request))
      reply.header(
        'server-timing',
        `total;dur=${shown(clock.monotonic() - spent.began)}, db;dur=${shown(spent.databaseMs)}`,
      )
    done()
  })
}

/** Who sits at this machine, and not behind a proxy on it; or who has shown a credential. */
function mayKnow({ ip, headers, principal }: FastifyRequest): boolean {
  // Nobody has looked who asks where there is nothing to be had.
  if (((principal as FastifyRequest['principal'] | null)?.kind ?? 'anonymous') !== 'anonymous') return true
  return isLoopback(ip) && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

const shown = (ms: number): string => (Math.round(ms * 10) / 10).toString()
