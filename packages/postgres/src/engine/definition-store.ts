import { type DefinitionStore, tagsIn } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './definition.sql.ts'

export function postgresDefinitions(db: Db): DefinitionStore {
  const lane = db.lane('api')
  return {
    create: async (tenant, id, document, by) => {
      const row = await lane.maybeOne(sql.create, { tenant, id, ...labelsOf(document, id), document, by })
      return row === undefined ? { kind: 'exists' } : { kind: 'created', revision: row.revision }
    },
    draft: async (tenant, id) => {
      const row = await lane.maybeOne(sql.draft, { tenant, id })
      if (row === undefined) return undefined
      return {
        id: row.id,
        kind: row.kind,
        document: row.draft,
        revision: row.revision,
        published: row.published ?? undefined,
        tags: row.tags,
        updatedBy: row.updated_by ?? undefined,
      }
    },
    saveDraft: async (tenant, id, document, revision, by) => {
      const saved = await lane.maybeOne(sql.saveDraft, {
        tenant,
        id,
        ...labelsOf(document, id),
        document,
        revision,
        by,
      })
      if (saved !== undefined) return { kind: 'saved', revision: saved.revision }
      const current = await lane.maybeOne(sql.draft, { tenant, id })
      return current === undefined ? { kind: 'not-found' } : { kind: 'changed', revision: current.revision }
    },
    discardDraft: (tenant, id, revision) =>
      lane.transaction(async (tx) => {
        const found = await tx.maybeOne(sql.lock, { tenant, id })
        if (found === undefined) return { kind: 'not-found' }
        if (revision !== undefined && found.revision !== revision) return { kind: 'changed', revision: found.revision }
        if (found.latest === 0) {
          await tx.run(sql.remove, { tenant, id })
          return { kind: 'deleted' }
        }
        const version = found.published ?? found.latest
        const { document } = await tx.one(sql.version, { tenant, id, version })
        const reset = await tx.one(sql.resetDraft, { tenant, id, version, ...labelsIn(document, id) })
        return { kind: 'reset', version, revision: reset.revision }
      }),
    publish: (tenant, id, hash, revision, runs = []) =>
      lane.transaction(async (tx) => {
        const found = await tx.maybeOne(sql.lock, { tenant, id })
        if (found === undefined) return { kind: 'not-found' }
        if (found.revision !== revision) return { kind: 'changed', revision: found.revision }
        const latest = await tx.maybeOne(sql.hashOf, { tenant, id, version: found.latest })
        const version = latest?.hash === hash ? found.latest : found.latest + 1
        if (version > found.latest) await tx.run(sql.addVersion, { tenant, id, version, hash })
        if (version > found.latest && runs.length > 0) await tx.run(sql.addReferences, { tenant, id, version, runs })
        await tx.run(sql.pointToLatest, { tenant, id, version })
        return { kind: 'published', version, hash }
      }),
    point: async (tenant, id, version) => {
      const pointed =
        version === undefined
          ? await lane.run(sql.retract, { tenant, id })
          : await lane.run(sql.point, { tenant, id, version })
      return pointed === 1
    },
    registerFunction: async (tenant, id, version, tags = []) => {
      await lane.one(sql.registerFunction, { tenant, id, version, tags })
    },
    version: async (tenant, id, version) => {
      const row = await lane.maybeOne(sql.version, { tenant, id, version })
      return row && { tenant, id, version, kind: row.kind, hash: row.hash, document: row.document }
    },
    versions: async (tenant, id, before, limit) =>
      (await lane.many(sql.versions, { tenant, id, before, limit })).map((row) => ({
        version: row.version,
        hash: row.hash,
        publishedAt: row.published_at,
        current: row.current,
      })),
    list: async (tenant, after, limit, { namePrefix, kind, published } = {}) => {
      const isFiltered = namePrefix !== undefined || kind !== undefined || published !== undefined
      const rows = isFiltered
        ? await lane.many(sql.listFiltered, { tenant, after, limit, namePrefix, kind, published })
        : await lane.many(sql.list, { tenant, after, limit })
      return rows.map((row) => ({ ...row, published: row.published ?? undefined }))
    },
  }
}

const labelsOf = (document: string, id: string) => labelsIn(JSON.parse(document), id)

const labelsIn = (document: unknown, id: string) => ({ name: nameIn(document, id), tags: tagsIn(document) })

function nameIn(document: unknown, id: string): string {
  return typeof document === 'object' && document !== null && 'name' in document && typeof document.name === 'string'
    ? document.name
    : id
}
