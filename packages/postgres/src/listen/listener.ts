import type { Connection } from '../connection/connection.ts'
import { quoteIdentifier } from '../connection/session.ts'
import type { Subscriber, Subscription } from '../db/db.ts'

/** Brings messages to subscribers. On a server over a connection of its own, embedded over the one session there is. */
export interface Listener {
  subscribe(channel: string, subscriber: Subscriber): Promise<Subscription>
  close(): Promise<void>
}

export function listenText(channels: readonly string[]): string {
  return channels.map((channel) => `listen ${quoteIdentifier(channel)}`).join('; ')
}

export function unlistenText(channel: string): string {
  return `unlisten ${quoteIdentifier(channel)}`
}

export async function listenOn(connection: Connection, channels: readonly string[]): Promise<void> {
  if (channels.length > 0) await connection.send({ name: 'listen', text: listenText(channels) })
}
