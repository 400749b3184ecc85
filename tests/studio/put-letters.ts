import { randomUUID } from 'node:crypto'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import type { NewDeadLetter } from '@lockstep/engine/ports'
import { openPostgres, postgresDeadLetters } from '@lockstep/postgres'
import type { StudioCluster } from './open-studio.ts'

/** As if messages had come that could not start "parcels": one of the wrong form, one that nobody can read. */
export async function putLetters({ databaseUrl: url }: StudioCluster): Promise<void> {
  const db = await openPostgres({ url, clock: systemClock, random: systemRandom, logger: silentLogger })
  const letter = (code: string, reason: string) => ({
    ...{ id: randomUUID(), tenant: 'default', definitionId: 'parcels', source: 'rabbitmq:parcels', code, reason },
    ...{ dedupeKey: undefined, correlationId: undefined },
  })
  const letters: readonly NewDeadLetter[] = [
    { ...letter('INPUT_INVALID', 'The input does not fit the schema: "parcels" must be array'), input: { parcels: 7 } },
    {
      ...letter('UNREADABLE', 'it is not JSON (Unexpected end of JSON input)'),
      raw: Buffer.from('{ "parcels": [1, 2'),
    },
  ]
  for (const each of letters) await postgresDeadLetters(db).put(each)
  await db.close()
}
