// The provider that a worker was told to use, and how to end everything that was opened for it.
import { openPostgres, postgresCoordination } from '@lockstep/postgres'
import { redisProvider } from '@lockstep/redis'

const open = {
  async redis({ url, namespace }, edge) {
    const provider = redisProvider({ url, prefix: namespace, ...edge })
    return { provider, close: () => provider.close() }
  },
  async postgres({ url, namespace }, edge) {
    const db = await openPostgres({ url, ...edge })
    const provider = postgresCoordination(db, { namespace, ...edge })
    return {
      provider,
      async close() {
        await provider.close()
        await db.close()
      },
    }
  },
}

export function openProvider(at, edge) {
  return open[at.kind](at, edge)
}
