import { call } from '../../api/client.ts'
import type { ImportFormat } from './format-of.ts'

export interface ImportProblem {
  readonly pointer: string
  readonly code: string
  readonly text: string
  readonly severity: 'error' | 'warning'
  readonly line?: number
  readonly column?: number
}

export interface ElsaNote {
  readonly pointer: string
  readonly elsaType: string
  readonly kind: 'not-mapped' | 'partly' | 'missing-type'
  readonly reason: string
  readonly suggestion: string
  readonly activityId?: string
}

export interface ImportReport {
  readonly written: boolean
  readonly documents: readonly {
    readonly index: number
    readonly id: string | null
    readonly outcome: 'created' | 'new-draft' | 'unchanged' | 'invalid' | 'conflict'
    readonly problems: readonly ImportProblem[]
  }[]
  readonly elsa?: {
    readonly complete: boolean
    readonly activityCount: number
    readonly mappedCount: number
    readonly notes: readonly ElsaNote[]
  }
}

export function importText(
  text: string,
  options: { readonly format: ImportFormat; readonly dryRun: boolean; readonly acceptProblems: boolean },
  signal?: AbortSignal,
): Promise<ImportReport> {
  return call<ImportReport>('POST', '/workflow-definitions/import', {
    query: { ...options },
    text,
    headers: { 'content-type': 'text/plain' },
    ...(signal === undefined ? {} : { signal }),
  })
}
