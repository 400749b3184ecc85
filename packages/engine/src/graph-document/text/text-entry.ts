import type { Json } from '@lockstep/base'
import type { TextPlace } from './locate.ts'

export type DocumentFormat = 'json' | 'yaml'

/** Why a text, or one document in it, cannot be read. */
export interface TextProblem {
  /** RFC 6901, into the document; `''` when that cannot be told. */
  readonly pointer: string
  readonly code: 'UNREADABLE_TEXT' | 'TOO_LARGE' | 'TOO_DEEP' | 'TOO_MANY_DOCUMENTS' | 'FORBIDDEN_NAME'
  readonly text: string
  readonly severity: 'error'
  /** Where it stands in the text, from 1, where that is known. */
  readonly line?: number
  readonly column?: number
}

/** One document of a text, or why it is none. */
export type TextEntry = { readonly document: Json } | { readonly problem: TextProblem }

export const textProblem = (
  code: TextProblem['code'],
  text: string,
  pointer = '',
  place: TextPlace | undefined = undefined,
): TextProblem => ({
  ...{ pointer, code, text, severity: 'error' },
  ...place,
})
