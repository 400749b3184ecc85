import { type DefinitionFilter, type DefinitionStore, tagsIn } from '@lockstep/engine/ports'
import type { Database } from './database.ts'
import { publishPolicy } from './flow-transactions.ts'
import type { Synchronous } from './synchronous.ts'
import { type DefinitionTableRow, keyOf } from './tables.ts'

export function definitionTransactions(database: Database): Synchronous<DefinitionStore> {
  const { tables, now } = database
  const find = (tenant: string, id: string): DefinitionTableRow | undefined => tables.definitions.get(keyOf(tenant, id))
  const graph = (tenant: string, id: string): DefinitionTableRow | undefined => {
    const found = find(tenant, id)
    return found?.kind === 'graph' ? found : undefined
  }
  return {
    create: (tenant, id, document, by) => {
      if (find(tenant, id) !== undefined) return { kind: 'exists' }
      const name = nameOf(document, id)
      const revision = (tables.retiredRevisions.get(keyOf('definition', id, tenant))?.revision ?? 0) + 1
      tables.definitions.set(keyOf(tenant, id), {
        id,
        tenant,
        kind: 'graph',
        name,
        draft: document,
        revision,
        published: undefined,
        latest: 0,
        tags: tagsOf(document),
        updatedBy: by,
      })
      return { kind: 'created', revision }
    },
    draft: (tenant, id) => {
      const found = find(tenant, id)
      return (
        found && {
          id,
          kind: found.kind,
          document: parse(found.draft),
          revision: found.revision,
          published: found.published,
          tags: found.tags,
          updatedBy: found.updatedBy,
        }
      )
    },
    saveDraft: (tenant, id, document, revision, by) => {
      const found = find(tenant, id)
      if (found === undefined) return { kind: 'not-found' }
      if (found.kind !== 'graph' || (revision !== undefined && revision !== found.revision))
        return { kind: 'changed', revision: found.revision }
      found.draft = document
      found.name = nameOf(document, id)
      found.tags = tagsOf(document)
      found.updatedBy = by
      found.revision += 1
      return { kind: 'saved', revision: found.revision }
    },
    discardDraft: (tenant, id, revision) => {
      const found = graph(tenant, id)
      if (found === undefined) return { kind: 'not-found' }
      if (revision !== undefined && revision !== found.revision) return { kind: 'changed', revision: found.revision }
      if (found.latest === 0) {
        const retired = { revision: found.revision, pausedFor: undefined }
        tables.retiredRevisions.set(keyOf('definition', id, tenant), retired)
        tables.definitions.delete(keyOf(tenant, id))
        return { kind: 'deleted' }
      }
      const version = found.published ?? found.latest
      found.draft = tables.versions.get(keyOf(tenant, id, version))!.document
      found.name = nameOf(found.draft!, id)
      found.tags = tagsOf(found.draft!)
      found.updatedBy = undefined
      found.revision += 1
      return { kind: 'reset', version, revision: found.revision }
    },
    publish: (tenant, id, hash, revision, runs = []) => {
      const found = graph(tenant, id)
      if (found === undefined) return { kind: 'not-found' }
      if (found.revision !== revision) return { kind: 'changed', revision: found.revision }
      if (tables.versions.get(keyOf(tenant, id, found.latest))?.hash !== hash) {
        found.latest += 1
        tables.versions.set(keyOf(tenant, id, found.latest), {
          id,
          tenant,
          version: found.latest,
          hash,
          document: found.draft,
          publishedAt: now(),
          runs,
        })
      }
      if (found.published !== found.latest) publishPolicy(database, tenant, id, found.latest)
      found.published = found.latest
      return { kind: 'published', version: found.latest, hash }
    },
    point: (tenant, id, version) => {
      const found = graph(tenant, id)
      if (found === undefined || (version !== undefined && !tables.versions.has(keyOf(tenant, id, version))))
        return false
      if (version !== undefined && found.published !== version) publishPolicy(database, tenant, id, version)
      found.published = version
      return true
    },
    registerFunction: (tenant, id, version, tags = []) => {
      const key = keyOf(tenant, id, version)
      if (!tables.versions.has(key))
        tables.versions.set(key, {
          id,
          tenant,
          version,
          hash: 'function',
          document: undefined,
          publishedAt: now(),
          runs: [],
        })
      const found = find(tenant, id)
      if (found === undefined) {
        const row: DefinitionTableRow = {
          id,
          tenant,
          kind: 'function',
          name: id,
          draft: undefined,
          revision: 1,
          published: version,
          latest: version,
          tags,
          updatedBy: undefined,
        }
        tables.definitions.set(keyOf(tenant, id), row)
        return
      }
      if (found.kind === 'function' && version >= found.latest) found.tags = tags
      found.published = Math.max(found.published ?? version, version)
      found.latest = Math.max(found.latest, version)
    },
    version: (tenant, id, version) => {
      const found = tables.versions.get(keyOf(tenant, id, version))
      const definition = find(tenant, id)
      return (
        found &&
        definition && { tenant, id, version, kind: definition.kind, hash: found.hash, document: parse(found.document) }
      )
    },
    versions: (tenant, id, before, limit) =>
      [...tables.versions.values()]
        .filter((row) => row.tenant === tenant && row.id === id && (before === undefined || row.version < before))
        .sort((a, b) => b.version - a.version)
        .slice(0, limit)
        .map(({ version, hash, publishedAt }) => ({
          version,
          hash,
          publishedAt,
          current: version === find(tenant, id)?.published,
        })),
    list: (tenant, after, limit, filter = {}) =>
      [...tables.definitions.values()]
        .filter((row) => row.tenant === tenant && (after === undefined || row.id > after) && fits(row, filter))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ id, kind, name, published, revision, tags }) => ({ id, kind, name, published, revision, tags })),
  }
}

function fits(row: DefinitionTableRow, { namePrefix = '', kind = row.kind, published }: DefinitionFilter): boolean {
  return (
    row.name.toLowerCase().startsWith(namePrefix.toLowerCase()) &&
    row.kind === kind &&
    (published === undefined || published === (row.published !== undefined))
  )
}

const tagsOf = (document: string): readonly string[] => tagsIn(JSON.parse(document))

const parse = (text: string | undefined): unknown => (text === undefined ? null : JSON.parse(text))

function nameOf(document: string, id: string): string {
  const parsed: unknown = JSON.parse(document)
  return typeof parsed === 'object' && parsed !== null && 'name' in parsed && typeof parsed.name === 'string'
    ? parsed.name
    : id
}
