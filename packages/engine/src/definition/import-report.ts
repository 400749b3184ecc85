import type { GraphProblem } from '../graph/graph-problem.ts'
import type { TextPlace } from '../graph-document/text/locate.ts'
import type { DocumentFormat, TextProblem } from '../graph-document/text/text-entry.ts'

export interface ImportOptions {
  /** @default what the text looks like: JSON when it begins with a bracket, else YAML */
  readonly format?: DocumentFormat
  /** Takes documents with errors too, as drafts that cannot be published yet. @default false */
  readonly acceptProblems?: boolean
  /** Says what would happen, and writes nothing. @default false */
  readonly dryRun?: boolean
  /** Says where in the text each problem stands. @default true */
  readonly places?: boolean
}

/** `conflict`: somebody else wrote the draft while this import was under way; theirs stands. */
export type ImportOutcome = 'created' | 'new-draft' | 'unchanged' | 'invalid' | 'conflict'
export type ImportProblem = (GraphProblem | TextProblem) & Partial<TextPlace>

export interface ImportedDocument {
  /** Place in the text, from 0. */
  readonly index: number
  /** Absent when the document has none that can be read. */
  readonly id?: string
  readonly outcome: ImportOutcome
  /** Of the draft, when there is one. */
  readonly revision?: number
  /** The first hundred. Warnings too, also of documents that were written. */
  readonly problems: readonly ImportProblem[]
}

export interface ImportReport {
  /** `false`: nothing was written, because a document is invalid or because it was a dry run. Outcomes are then what would happen. */
  readonly written: boolean
  readonly documents: readonly ImportedDocument[]
}
