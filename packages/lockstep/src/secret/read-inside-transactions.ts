/**
 * A secret that the code of a transaction asks for is read over the connection of that transaction. Over another one it would wait for ever: an
 * embedded store has no other, and those of a server may all be taken by transactions that ask for the same.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SealedSecret, SecretStore, TransactionStore, UserTransaction } from '@lockstep/engine/ports'
import { findSecretIn, type SealedRow } from './find-secret.sql.ts'

export interface JoinedStores {
  readonly transactions: TransactionStore
  readonly secrets: SecretStore
}

/** The same stores, which know of each other. */
export function readInsideTransactions({ transactions, secrets }: JoinedStores, schema: string): JoinedStores {
  /** Whose code is running. What the code leaves behind may ask later, when there is no transaction any more. */
  const around = new AsyncLocalStorage<{ tx: UserTransaction | undefined }>()
  return {
    transactions: {
      startWithin: transactions.startWithin,
      transact: (work, finish) =>
        transactions.transact((tx) => {
          const here: { tx: UserTransaction | undefined } = { tx }
          return around.run(here, () =>
            work(tx).finally(() => {
              here.tx = undefined
            }),
          )
        }, finish),
    },
    secrets: {
      ...secrets,
      find: async (tenant, name) => {
        const tx = around.getStore()?.tx
        if (tx === undefined) return secrets.find(tenant, name)
        const [row] = await tx.query<SealedRow>(findSecretIn(schema), [tenant, name])
        return row && toSealed(row)
      },
    },
  }
}

const toSealed = ({ tenant, name, key_id: keyId, nonce, box, hosts, revision }: SealedRow): SealedSecret => ({
  ...{ tenant, name, keyId, hosts, revision },
  nonce: Buffer.from(nonce, 'base64'),
  box: Buffer.from(box, 'base64'),
})
