import type { SealedSecret, SecretStore } from './secret-store.ts'

/** As much of a store as the vault needs, in memory. */
export function memorySecrets(): SecretStore & { readonly rows: Map<string, SealedSecret> } {
  const rows = new Map<string, SealedSecret>()
  const at = (tenant: string, name: string): string => `${tenant}/${name}`
  const told = ({ tenant, name, keyId, hosts, revision }: SealedSecret) => ({
    ...{ tenant, name, keyId, hosts, revision },
    ...{ createdAt: 0, updatedAt: 0, updatedBy: '' },
  })
  return {
    rows,
    put: async (secret) => {
      const before = rows.get(at(secret.tenant, secret.name))
      const row = { hosts: before?.hosts ?? [], ...secret, revision: (before?.revision ?? 0) + 1 }
      rows.set(at(secret.tenant, secret.name), row)
      return told(row)
    },
    find: async (tenant, name) => rows.get(at(tenant, name)),
    list: async ({ tenant }) => [...rows.values()].filter((row) => row.tenant === tenant).map(told),
    remove: async (tenant, name) => rows.delete(at(tenant, name)),
    sealedOtherwise: async (keyId, after, limit) =>
      [...rows]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .filter(([key, row]) => row.keyId !== keyId && (after === undefined || key > at(after.tenant, after.name)))
        .slice(0, limit)
        .map(([, row]) => row),
    reseal: async (secret) => {
      if (rows.get(at(secret.tenant, secret.name))?.revision !== secret.revision) return false
      rows.set(at(secret.tenant, secret.name), secret)
      return true
    },
  }
}
