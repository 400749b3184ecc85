import type { ServerName } from './errors.ts'
import type { Guardian, Spawned } from './guardian-client.ts'
import type { SystemUser } from './guardian-protocol.ts'

/** The name under which a program spawns its main process. */
export const MAIN = 'server'

/** What differs from server to server. */
export interface ServerProgram {
  readonly server: ServerName
  /** Who runs it, when not the current user. */
  readonly user?: SystemUser
  readonly stopSignal: NodeJS.Signals
  /** How long processes may outlive a killed main process before they are killed too. */
  readonly orphansMs: number
  /** How long a start may take. */
  readonly startMs: number
  /** Fills the private folder, once. */
  prepare(guardian: Guardian): Promise<void>
  launch(guardian: Guardian, port: number): Promise<Spawned>
  /** One try. Must tell this server from another one that happens to listen on the port. */
  answers(guardian: Guardian, port: number): Promise<boolean>
  url(port: number): string
}
