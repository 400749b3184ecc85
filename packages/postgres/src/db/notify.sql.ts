import { statement } from './statement.ts'

/** Sends a message to whoever listens on a channel, when the surrounding transaction commits. At most 8,000 bytes. */
export const notify = statement<{ channel: string; payload: string }>(
  'notify',
  (p) => [p.channel, p.payload],
  'select pg_notify($1, $2)',
)
