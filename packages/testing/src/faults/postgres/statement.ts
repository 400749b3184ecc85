/** One execution of SQL, as it passes: a simple Query message, or an Execute with the text of the Parse behind it. */
export interface Statement {
  readonly sql: string
  readonly via: 'simple' | 'extended'
  /** It ends its transaction by COMMIT or END; a Query of several statements does when any of them is one. */
  readonly commits: boolean
  /** All SQL executed since the transaction began, this statement last. Outside a transaction: this statement alone. */
  readonly transaction: readonly string[]
}

/** What the server answered. */
export interface StatementReply {
  /** Command tags in order, `INSERT 0 1` or `COMMIT`. A COMMIT of a failed transaction is tagged `ROLLBACK`. */
  readonly tags: readonly string[]
  /** The statement failed, and what it asked for did not happen. */
  readonly sqlState?: string
  /** A message before it in the same batch failed, so the server never executed it. */
  readonly skipped?: true
}
