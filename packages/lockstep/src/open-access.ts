import { type Db, postgresAccess } from '@lockstep/postgres'
import type { AccessOptions } from '@lockstep/server'
import type { Edge } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/** Who may reach this node. On loopback the cluster makes up its secret once and keeps it in the store. */
export async function openAccess(options: NodeOptions, db: Db, edge: Edge, nodeName: string): Promise<AccessOptions> {
  const { auth, apiKey, oidc, publicUrl, corsOrigins, requireHttps, rateLimit } = options.access
  const store = postgresAccess(db)
  const madeUp = (): Promise<string> =>
    store.sharedSecrets.settle('server', Buffer.from(edge.random.bytes(48)).toString('base64url'))
  const secret = options.access.secret ?? (await madeUp())
  if (auth === 'keys' && apiKey === undefined && (await isEmpty(store)))
    edge.logger
      .area('access')
      .warn('nobody can get in yet: set LOCKSTEP_API_KEY, and make keys and users with it', { host: options.host })
  const site = { publicUrl, corsOrigins, requireHttps, rateLimit }
  return { auth, store, secret, bootstrapKey: apiKey, oidc, ...site, nodeName }
}

async function isEmpty({ keys, users }: AccessOptions['store']): Promise<boolean> {
  const first = { tenant: undefined, after: undefined, limit: 1 }
  const found = await Promise.all([keys.list(first), users.list(first)])
  return found.flat().length === 0
}
