import type { JsonObject } from '../../designer/model/index.ts'

/** A workflow to begin with. */
export interface Template {
  readonly key: string
  readonly title: string
  /** One line: what it does, and what of the engine it shows. */
  readonly about: string
  /** A graph document without an id: whoever takes it chooses one. */
  readonly document: JsonObject & { readonly activities: readonly JsonObject[] }
}
