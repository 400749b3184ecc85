export interface DefinitionVersion {
  readonly tenant: string
  readonly id: string
  readonly version: number
  readonly kind: 'graph' | 'function'
  readonly hash: string
  /** Parsed JSON; `null` for functions. */
  readonly document: unknown
}

export interface Draft {
  readonly id: string
  readonly kind: 'graph' | 'function'
  /** Parsed JSON. */
  readonly document: unknown
  /** Changes with every save. */
  readonly revision: number
  readonly published: number | undefined
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

export interface DefinitionSummary {
  readonly id: string
  readonly kind: 'graph' | 'function'
  readonly name: string
  readonly published: number | undefined
  readonly revision: number
}

/** Logical workflows, their drafts, and their immutable versions. Documents go in as JSON text. */
export interface DefinitionStore {
  create(tenant: string, id: string, document: string): Promise<CreateVerdict>
  draft(tenant: string, id: string): Promise<Draft | undefined>
  /** `revision` absent: whatever is there is replaced. */
  saveDraft(tenant: string, id: string, document: string, revision: number | undefined): Promise<SaveDraftVerdict>
  /** Makes the draft of `revision` the next version, unless the last one has the same hash: then that one is current again. */
  publish(tenant: string, id: string, hash: string, revision: number): Promise<PublishVerdict>
  /** A function's code is the definition: registers its version so that instances can name it, and points to it. */
  registerFunction(tenant: string, id: string, version: number): Promise<void>
  version(tenant: string, id: string, version: number): Promise<DefinitionVersion | undefined>
  list(tenant: string, after: string | undefined, limit: number): Promise<readonly DefinitionSummary[]>
}
