import { afterAll, beforeAll, describe } from 'vitest'
import type { Db, OnConnect } from '../src/index.ts'
import { connectionContract } from './contract/connection-contract.ts'
import { limitContract } from './contract/limit-contract.ts'
import { listenContract } from './contract/listen-contract.ts'
import { statementContract } from './contract/statement-contract.ts'
import { transactionContract } from './contract/transaction-contract.ts'
import { valueContract } from './contract/value-contract.ts'

/** What every driver takes. */
export interface ContractOptions {
  readonly statementTimeoutMs?: number
  readonly idleInTransactionMs?: number
  readonly acquireTimeoutMs?: number
  readonly onConnect?: OnConnect
}

/** What a driver cannot do, each with its reason. */
export interface Missing {
  readonly concurrentTransactions?: string
  readonly interruptedStatements?: string
}

export interface ContractSubject {
  /** Opens a database whose schema exists: the same each time, or one of its own where only one may be open. */
  open(options?: ContractOptions): Promise<Db>
  close(): Promise<void>
}

export interface Contract {
  /** Shared by all tests of a suite. Tables are the test's own. */
  readonly db: Db
  readonly missing: Missing
  /** A second opening with other limits, closed by the caller. */
  open(options?: ContractOptions): Promise<Db>
}

/** What holds on every driver, run on each against the real thing. */
export function dbContract(driver: string, prepare: () => Promise<ContractSubject>, missing: Missing = {}): void {
  describe(`${driver}: database contract`, () => {
    let subject: ContractSubject
    let db: Db
    const contract: Contract = {
      missing,
      get db() {
        return db
      },
      open: (options) => subject.open(options),
    }
    beforeAll(async () => {
      subject = await prepare()
      db = await subject.open()
    })
    afterAll(async () => {
      await db?.close()
      await subject?.close()
    })
    valueContract(contract)
    statementContract(contract)
    transactionContract(contract)
    listenContract(contract)
    limitContract(contract)
    connectionContract(contract)
  })
}
