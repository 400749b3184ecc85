import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import { outcomeOf } from '../connection/outcome.ts'
import type { OnConnect } from '../db/db.ts'
import { type Preparation, queriesOver, type Send } from './requests.ts'

/** Runs the caller's check on a new connection; one that fails it is never used. */
export async function greet(
  connection: Connection,
  onConnect: OnConnect | undefined,
  preparation: Preparation,
): Promise<void> {
  if (onConnect === undefined) return
  const send: Send = (request, { readOnly }) =>
    connection.send(request).catch((error: unknown) => {
      throw outcomeOf(error, request.name, readOnly ? 'rolled-back' : 'unknown')
    })
  try {
    await onConnect(queriesOver(send, preparation))
  } catch (error) {
    connection.destroy(new Broken('lost', 'the check of new connections failed'))
    throw error
  }
}
