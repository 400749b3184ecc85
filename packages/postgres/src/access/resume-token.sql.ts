import { statement } from '../db/statement.ts'

/** By the index of hashes. They are of 256 random bits: no two tenants have the same. */
export const tenantOf = statement<{ hash: string }, { tenant: string }>(
  'resume_token_tenant',
  (p) => [p.hash],
  'select tenant from resume_token where hash = $1 limit 1',
  { readOnly: true },
)
