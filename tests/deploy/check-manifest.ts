import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'

const load = createRequire(import.meta.url)

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what a manifest says
  readonly [member: string]: any
}

export const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Manifest
  })

/** What the schema of Kubernetes says against a manifest; nothing when it is one. */
export function manifestFault(manifest: Manifest): string | undefined {
  const file = path.join('kubernetes-models', manifest.apiVersion, manifest.kind)
  const folder = path.dirname(load.resolve('kubernetes-models/package.json'))
  if (!existsSync(path.join(path.dirname(folder), `${file}.js`))) return `there is no ${file}`
  const Model = (load(file) as Record<string, new (data: unknown) => { validate(): void }>)[manifest.kind]!
  try {
    new Model(manifest).validate()
    return undefined
  } catch (error) {
    return String(error)
  }
}
