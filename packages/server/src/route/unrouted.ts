import type { FastifyInstance } from 'fastify'
import { pathOf } from '../problem/problem-replies.ts'
import { MethodNotAllowed, RouteNotFound } from '../problem/request-errors.ts'
import { hook } from './hook.ts'

interface Known {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/** Tells a wrong method from a wrong path, and does so before a body is read. Must come before the routes it is to know. */
export function refuseUnrouted(app: FastifyInstance): void {
  const known = new Map<string, Known>()
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}$`)
    const entry = known.get(url) ?? { pattern, methods: new Set() }
    for (const each of [method].flat()) entry.methods.add(each)
    known.set(url, entry)
  })
  app.addHook(
    'onRequest',
    hook((request) => {
      if (!request.is404) return
      const path = pathOf(request.url)
      const found = [...known.values()].find(({ pattern }) => pattern.test(path))
      if (found === undefined) throw new RouteNotFound({ method: request.method, path })
      throw new MethodNotAllowed({ method: request.method, path, allow: [...found.methods].sort() })
    }),
  )
  app.setNotFoundHandler((request) => {
    throw new RouteNotFound({ method: request.method, path: pathOf(request.url) })
  })
}
