import type { Json } from '@lockstep/base'
import type { DocumentFormat } from '../graph-document/text/text-entry.ts'
import { writeJson } from '../graph-document/text/write-documents.ts'
import type { YamlThread } from '../graph-document/text/yaml-thread.ts'
import type { DefinitionStore } from '../store/definition-store.ts'

export interface ExportOptions {
  /** @default 'json' */
  readonly format?: DocumentFormat
  /** The number of a version too, where it is one definition. @default 'draft' */
  readonly source?: 'draft' | 'published' | number
}

export interface ExportContext {
  readonly store: DefinitionStore
  readonly yaml: YamlThread
  /** Throws when there is none. */
  document(id: string, source: 'draft' | 'published' | number): Promise<Json>
}

const PAGE = 100

/**
 * One text, piece by piece: a document alone, a JSON list, or a YAML stream. Equal definitions give equal text. One
 * document is in memory at a time, however many there are.
 */
export async function* exportDefinitions(
  { store, yaml, document }: ExportContext,
  tenant: string,
  ids: readonly string[] | 'all',
  { format = 'json', source = 'draft' }: ExportOptions = {},
): AsyncGenerator<string> {
  const isList = format === 'json' && (ids === 'all' || ids.length !== 1)
  let count = 0
  for await (const id of ids === 'all' ? graphs(store, tenant, source) : ids) {
    const found = await document(id, source)
    if (format === 'yaml') {
      const text = (await yaml.run({ write: found })) ?? `${JSON.stringify(found)}\n`
      yield count === 0 ? text : `---\n${text}`
    } else if (isList) yield `${count === 0 ? '[\n' : ',\n'}${writeJson(found).trimEnd()}`
    else yield writeJson(found)
    count += 1
  }
  if (isList) yield count === 0 ? '[]\n' : '\n]\n'
}

async function* graphs(
  store: DefinitionStore,
  tenant: string,
  source: 'draft' | 'published' | number,
): AsyncGenerator<string> {
  let after: string | undefined
  for (;;) {
    const page = await store.list(tenant, after, PAGE)
    for (const { id, kind, published } of page) {
      if (kind === 'graph' && (source === 'draft' || published !== undefined)) yield id
    }
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}
