import type { DefinitionStore } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import * as sql from './definition.sql.ts'

export function postgresDefinitions(db: Db): DefinitionStore {
  const lane = db.lane('api')
  return {
    create: async (tenant, id, document) => {
      const row = await lane.maybeOne(sql.create, { tenant, id, name: nameOf(document, id), document })
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
      }
    },
    saveDraft: async (tenant, id, document, revision) => {
      const saved = await lane.maybeOne(sql.saveDraft, { tenant, id, name: nameOf(document, id), document, revision })
      if (saved !== undefined) return { kind: 'saved', revision: saved.revision }
      const current = await lane.maybeOne(sql.draft, { tenant, id })
      return current === undefined ? { kind: 'not-found' } : { kind: 'changed', revision: current.revision }
    },
    publish: (tenant, id, hash, revision) =>
      lane.transaction(async (tx) => {
        const found = await tx.maybeOne(sql.lockForPublish, { tenant, id })
        if (found === undefined) return { kind: 'not-found' }
        if (found.revision !== revision) return { kind: 'changed', revision: found.revision }
        const latest = await tx.maybeOne(sql.hashOf, { tenant, id, version: found.latest })
        const version = latest?.hash === hash ? found.latest : found.latest + 1
        if (version > found.latest) await tx.run(sql.addVersion, { tenant, id, version, hash })
        await tx.run(sql.point, { tenant, id, version })
        return { kind: 'published', version, hash }
      }),
    registerFunction: async (tenant, id, version) => {
      await lane.one(sql.registerFunction, { tenant, id, version })
    },
    version: async (tenant, id, version) => {
      const row = await lane.maybeOne(sql.version, { tenant, id, version })
      return row && { tenant, id, version, kind: row.kind, hash: row.hash, document: row.document }
    },
    list: async (tenant, after, limit) =>
      (await lane.many(sql.list, { tenant, after, limit })).map((row) => ({
        ...row,
        published: row.published ?? undefined,
      })),
  }
}

function nameOf(document: string, id: string): string {
  const parsed: unknown = JSON.parse(document)
  return typeof parsed === 'object' && parsed !== null && 'name' in parsed && typeof parsed.name === 'string'
    ? parsed.name
    : id
}
