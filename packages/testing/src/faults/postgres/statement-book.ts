import type { Statement } from './statement.ts'
import { type TransactionControl, transactionControl } from './transaction-control.ts'

interface Text {
  readonly sql: string
  readonly control: readonly TransactionControl[]
}

const UNKNOWN: Text = { sql: '', control: [] }

/** What one connection has prepared and bound, and what its transaction has executed so far. */
export class StatementBook {
  readonly #statements = new Map<string, Text>()
  readonly #portals = new Map<string, Text>()
  #transaction: string[] | undefined

  /** The returned function restores what the name meant before, for a Parse that the server turned down. */
  parse(name: string, sql: string): () => void {
    const before = this.#statements.get(name)
    this.#statements.set(name, { sql, control: transactionControl(sql) })
    return () => {
      if (before) this.#statements.set(name, before)
      else this.#statements.delete(name)
    }
  }

  bind(portal: string, statement: string): void {
    this.#portals.set(portal, this.#statements.get(statement) ?? UNKNOWN)
  }

  close(of: 'statement' | 'portal', name: string): void {
    if (of === 'statement') this.#statements.delete(name)
    else this.#portals.delete(name)
  }

  query(sql: string): Statement {
    return this.#run({ sql, control: transactionControl(sql) }, 'simple')
  }

  execute(portal: string): Statement {
    return this.#run(this.#portals.get(portal) ?? UNKNOWN, 'extended')
  }

  #run({ sql, control }: Text, via: Statement['via']): Statement {
    const transaction = [...(this.#transaction ?? []), sql]
    if (this.#transaction) this.#transaction = transaction
    for (const step of control) {
      if (step === 'commit' || step === 'rollback') this.#transaction = undefined
      else if (step === 'begin') this.#transaction ??= [sql]
      else this.#transaction = []
    }
    return { sql, via, transaction, commits: control.some((step) => step.startsWith('commit')) }
  }
}
