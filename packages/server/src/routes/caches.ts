import type { CacheStats, Engine } from '@lockstep/engine'
import Type from 'typebox'
import { CacheNotFound } from '../problem/request-errors.ts'
import { type Answer, route } from '../route/route.ts'
import { listOf, toWholeList, WHOLE } from '../wire/list.ts'

const Count = Type.Integer({ minimum: 0 })

const CacheReply = Type.Object({
  name: Type.String(),
  size: Count,
  limit: Type.Integer({ description: 'Entries that are kept at most.' }),
  hits: Count,
  misses: Count,
  hitRate: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Hits among all reads, 0 to 1; null before the first.',
  }),
  invalidations: Type.Integer({ description: 'Entries that were no longer right, or were cleared.' }),
  evictions: Type.Integer({ description: 'Entries that had to make room.' }),
  secondTierHits: Type.Integer({ description: 'Misses that another node had read already.' }),
})

function toWireCache(stats: CacheStats) {
  const reads = stats.hits + stats.misses
  return { ...stats, hitRate: reads === 0 ? null : stats.hits / reads }
}

export const listCaches = route({
  method: 'GET',
  path: '/caches',
  name: 'listCaches',
  permission: 'cluster:read',
  reach: 'cluster',
  summary: 'The caches of the node that answers, with what they did since it began.',
  replies: { 200: listOf(CacheReply, WHOLE) },
  problems: [],
  async handle({ engine }) {
    return { status: 200, body: toWholeList(engine.caches.list().map(toWireCache)) }
  },
})

export const invalidateCache = route({
  method: 'POST',
  path: '/caches/:id/invalidate',
  name: 'invalidateCache',
  permission: 'cluster:operate',
  reach: 'cluster',
  summary: 'Empties a cache on all nodes. Never needed for right answers: what is kept is checked before it is served.',
  id: Type.String({ description: 'Its name.' }),
  replies: { 200: CacheReply },
  problems: ['CACHE_NOT_FOUND'],
  handle: ({ engine }, { params }) => cleared(engine, params.id),
})

/** The name that it had first. */
export const clearCache = route({
  method: 'POST',
  path: '/caches/:id/clear',
  name: 'clearCache',
  permission: 'cluster:operate',
  reach: 'cluster',
  summary: 'The same as invalidate.',
  id: Type.String({ description: 'Its name.' }),
  replies: { 200: CacheReply },
  problems: ['CACHE_NOT_FOUND'],
  handle: ({ engine }, { params }) => cleared(engine, params.id),
})

async function cleared({ caches }: Engine, id: string): Promise<Answer> {
  const stats = await caches.clear(id)
  if (stats !== undefined) return { status: 200, body: toWireCache(stats) }
  throw new CacheNotFound({ name: id.slice(0, 200), names: caches.list().map(({ name }) => name) })
}
