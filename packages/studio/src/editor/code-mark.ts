/** Something to say about a place of a text. Lines and columns from 1. */
export interface CodeMark {
  readonly line: number
  readonly column: number
  readonly text: string
  readonly severity: 'error' | 'warning'
}

interface TextLines {
  readonly lines: number
  line(number: number): { readonly from: number; readonly to: number }
}

/** The characters that a mark underlines: to the end of the word that begins there, at least one. */
export function rangeOf(text: TextLines, slice: (from: number, to: number) => string, mark: CodeMark) {
  const { from: start, to: end } = text.line(Math.min(Math.max(1, mark.line), text.lines))
  const from = Math.min(start + Math.max(0, mark.column - 1), end)
  const word = /^(?:"[^"]*"|[\w$-]+)/.exec(slice(from, end))?.[0].length ?? 1
  // What is missing at the end is shown at the last character there is.
  return from >= end && end > start ? { from: end - 1, to: end } : { from, to: Math.min(from + word, end) }
}
