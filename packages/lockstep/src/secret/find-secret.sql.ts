export interface SealedRow {
  readonly tenant: string
  readonly name: string
  readonly key_id: string
  /** Base64, as `box`. */
  readonly nonce: string
  readonly box: string
  readonly hosts: readonly string[]
  readonly revision: number
}

/** One row by primary key. For transactions of the user's, which do not see our schema. */
export const findSecretIn = (schema: string): string =>
  `select tenant, name, key_id, encode(nonce, 'base64') as nonce, encode(box, 'base64') as box, hosts, revision
     from ${schema}.secret where tenant = $1 and name = $2`
