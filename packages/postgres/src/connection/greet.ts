import type { OnConnect } from '../db/db.ts'
import { type Preparation, queriesOver } from '../lane/requests.ts'
import { Broken } from './broken.ts'
import type { Connection } from './connection.ts'
import { outcomeOf } from './outcome.ts'

/** Runs the caller's check on a new connection; one that fails it is never used. */
export async function greet(
  connection: Connection,
  onConnect: OnConnect | undefined,
  preparation: Preparation,
): Promise<void> {
  if (onConnect === undefined) return
  const queries = queriesOver(
    (request) =>
      connection.send(request).catch((error: unknown) => Promise.reject(outcomeOf(error, request.name, 'unknown'))),
    preparation,
  )
  try {
    await onConnect(queries)
  } catch (error) {
    connection.destroy(new Broken('lost', 'the check of new connections failed'))
    throw error
  }
}
