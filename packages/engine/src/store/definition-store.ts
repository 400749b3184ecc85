export type DefinitionKind = 'graph' | 'function'

export interface DefinitionVersion {
  readonly tenant: string
  readonly id: string
  readonly version: number
  readonly kind: DefinitionKind
  readonly hash: string
  /** Parsed JSON; `null` for functions. */
  readonly document: unknown
}

export interface Draft {
  readonly id: string
  readonly kind: DefinitionKind
  /** Parsed JSON. */
  readonly document: unknown
  /** Changes with every save. */
  readonly revision: number
  readonly published: number | undefined
  readonly tags: readonly string[]
  /** Who saved it last; absent: nobody who was known by name. */
  readonly updatedBy: string | undefined
}

export type SaveDraftVerdict =
  | { readonly kind: 'saved'; readonly revision: number }
  | { readonly kind: 'changed'; readonly revision: number }
  | { readonly kind: 'not-found' }
export type CreateVerdict = { readonly kind: 'created'; readonly revision: number } | { readonly kind: 'exists' }
export type PublishVerdict =
  | { readonly kind: 'published'; readonly version: number; readonly hash: string }
  | { readonly kind: 'changed'; readonly revision: number }
  | { readonly kind: 'not-found' }
export type DiscardDraftVerdict =
  /** It never had a version: the whole definition is gone. */
  | { readonly kind: 'deleted' }
  /** The draft is that version again. */
  | { readonly kind: 'reset'; readonly version: number; readonly revision: number }
  | { readonly kind: 'changed'; readonly revision: number }
  | { readonly kind: 'not-found' }

export interface DefinitionSummary {
  readonly id: string
  readonly kind: DefinitionKind
  readonly name: string
  readonly published: number | undefined
  readonly revision: number
  /** Of the draft, as the name is; of code, those of its newest version. */
  readonly tags: readonly string[]
}

export interface DefinitionFilter {
  /** Of the name, whatever its case. */
  readonly namePrefix?: string | undefined
  readonly kind?: DefinitionKind | undefined
  /** Whether new instances can start. */
  readonly published?: boolean | undefined
}

export interface VersionSummary {
  readonly version: number
  readonly hash: string
  /** Epoch milliseconds of the store's clock. */
  readonly publishedAt: number
  /** Whether new instances get this one. */
  readonly current: boolean
}

/** Logical workflows, their drafts, and their immutable versions. Documents go in as JSON text. */
export interface DefinitionStore {
  /** `by`: who does it, for others to see. */
  create(tenant: string, id: string, document: string, by?: string): Promise<CreateVerdict>
  draft(tenant: string, id: string): Promise<Draft | undefined>
  /** `revision` absent: whatever is there is replaced. */
  saveDraft(
    tenant: string,
    id: string,
    document: string,
    revision: number | undefined,
    by?: string,
  ): Promise<SaveDraftVerdict>
  /** Graphs only. Takes the draft back to the current version, or to the last one; without versions the definition goes. */
  discardDraft(tenant: string, id: string, revision: number | undefined): Promise<DiscardDraftVerdict>
  /**
   * Makes the draft of `revision` the next version, unless the last one has the same hash: then that one is current again.
   * `runs`: ids of the workflows that the document runs, kept with the version.
   */
  publish(tenant: string, id: string, hash: string, revision: number, runs?: readonly string[]): Promise<PublishVerdict>
  /** Graphs only. Makes a version current that exists already, or none. `false`: no such graph or version. */
  point(tenant: string, id: string, version: number | undefined): Promise<boolean>
  /** A function's code is the definition: registers its version so that instances can name it, and points to it. */
  registerFunction(tenant: string, id: string, version: number, tags?: readonly string[]): Promise<void>
  version(tenant: string, id: string, version: number): Promise<DefinitionVersion | undefined>
  /** Newest first, those below `before`. */
  versions(tenant: string, id: string, before: number | undefined, limit: number): Promise<readonly VersionSummary[]>
  /** By id. With a filter it looks at the next 10,000 and answers those of them that fit. */
  list(
    tenant: string,
    after: string | undefined,
    limit: number,
    filter?: DefinitionFilter,
  ): Promise<readonly DefinitionSummary[]>
}
