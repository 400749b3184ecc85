/** What a text does to the transaction around it, in order. */
export type TransactionControl = 'begin' | 'commit' | 'commit-and-chain' | 'rollback' | 'rollback-and-chain'

/** Quoted text, comments (nested ones by hand), words, the separator; whatever else is one character. */
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y
const STRING = /'(?:[^']|'')*'?/y
const ESCAPE_STRING = /'(?:[^'\\]|\\.|'')*'?/sy
const QUOTED_NAME = /"[^"]*"?/y
const LINE_COMMENT = /--[^\n]*/y
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

/**
 * Finds BEGIN, COMMIT and ROLLBACK among the statements of a text, and only where they are statements: not in strings,
 * comments or function bodies. One limit: the `END` of a body written as BEGIN ATOMIC counts as a commit.
 */
export function transactionControl(sql: string): readonly TransactionControl[] {
  const found: TransactionControl[] = []
  let words: string[] = []
  for (const word of wordsOf(sql)) {
    if (word !== ';') words.push(word)
    else {
      const control = controlOf(words)
      if (control) found.push(control)
      words = []
    }
  }
  return found
}

function controlOf(words: readonly string[]): TransactionControl | undefined {
  const chained = words.at(-1) === 'chain' && words.at(-2) === 'and'
  switch (words[0]) {
    case 'begin':
      return 'begin'
    case 'start':
      return words[1] === 'transaction' ? 'begin' : undefined
    case 'commit':
    case 'end':
      return chained ? 'commit-and-chain' : 'commit'
    case 'rollback':
    case 'abort':
      if (words.includes('to') || words[1] === 'prepared') return undefined
      return chained ? 'rollback-and-chain' : 'rollback'
    default:
      return undefined
  }
}

/** The bare words of a text in lower case, with `;` after each statement, the last one included. */
function* wordsOf(sql: string): Generator<string> {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(sql)?.[0]
    at += match?.length ?? 0
    return match
  }
  while (at < sql.length) {
    const word = take(WORD)
    if (word !== undefined) {
      yield word.toLowerCase()
      if (/^e$/i.test(word)) take(ESCAPE_STRING)
      continue
    }
    if (take(STRING) ?? take(QUOTED_NAME) ?? take(LINE_COMMENT)) continue
    const tag = take(DOLLAR_TAG)
    if (tag !== undefined) at = after(sql, tag, at)
    else if (sql.startsWith('/*', at)) at = afterComment(sql, at)
    else if (sql[at++] === ';') yield ';'
  }
  yield ';'
}

function after(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from)
  return found === -1 ? sql.length : found + mark.length
}

/** PostgreSQL nests block comments. */
function afterComment(sql: string, from: number): number {
  const edge = /\/\*|\*\//g
  edge.lastIndex = from
  let depth = 0
  for (let match = edge.exec(sql); match; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex
  }
  return sql.length
}
