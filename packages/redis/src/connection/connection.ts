/** One connection to Redis, open until it is lost or closed. It never comes back: a `Link` opens the next one. */
export interface Connection {
  /** Rejects when the server refused the command or the connection was lost, never for a reason of its own. */
  send(args: readonly string[]): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  unsubscribe(channel: string): Promise<void>
  /** At once: whatever is under way rejects. */
  close(): void
}

/**
 * Connects once, without trying again. `onLost` is called at most once, after the connection was open. When `signal` aborts first, nothing is
 * left of it: a server that hangs accepts connections and says nothing, for ever.
 */
export type OpenConnection = (onLost: (cause: unknown) => void, signal: AbortSignal) => Promise<Connection>
