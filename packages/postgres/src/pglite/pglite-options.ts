import { type Clock, InvalidOption, type Logger, type Random, silentLogger } from '@lockstep/base'
import type { OnConnect } from '../db/db.ts'
import type { DbMeter } from '../db/db-meter.ts'

export interface PgliteOptions {
  /** The folder that belongs to this process while it is open. Exactly one of `dataDir` and `memory` is given. */
  readonly dataDir?: string
  /** Keeps nothing. For tests. */
  readonly memory?: true
  readonly clock: Clock
  readonly random: Random
  readonly logger?: Logger
  /** @default 'lockstep' */
  readonly schema?: string
  /** Settings of the session, such as `{ enable_hashjoin: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** How long a caller waits for one statement. The statement itself cannot be stopped. @default 30_000 */
  readonly statementTimeoutMs?: number
  /** Longest pause inside a transaction: everybody else waits meanwhile. @default 5_000 */
  readonly idleInTransactionMs?: number
  /** Longest wait for the session: longer than on a server, since there is no other node to turn to. @default 10_000 */
  readonly acquireTimeoutMs?: number
  /** How long a statement that nobody waits for any more may go on before the engine is started anew. @default 30_000 */
  readonly stuckAfterMs?: number
  /** How often to vacuum, analyse and checkpoint what needs it; PGlite does none of it by itself. @default 60_000 */
  readonly housekeepingEveryMs?: number
  /** Whether a new folder begins from the snapshot that ships with the package. @default true */
  readonly useSnapshot?: boolean
  readonly onConnect?: OnConnect
  readonly meter?: DbMeter | undefined
}

export type ResolvedPglite = Required<Omit<PgliteOptions, 'dataDir' | 'memory' | 'onConnect' | 'meter'>> &
  Pick<PgliteOptions, 'dataDir' | 'onConnect' | 'meter'>

export function resolvePgliteOptions(options: PgliteOptions): ResolvedPglite {
  const {
    dataDir,
    memory,
    clock,
    random,
    logger = silentLogger,
    schema = 'lockstep',
    settings = {},
    useSnapshot = true,
    onConnect,
    meter,
  } = options
  const { statementTimeoutMs = 30_000, idleInTransactionMs = 5_000, acquireTimeoutMs = 10_000 } = options
  const { stuckAfterMs = 30_000, housekeepingEveryMs = 60_000 } = options
  if ((dataDir === undefined) === (memory === undefined)) {
    throw new InvalidOption({ option: 'dataDir', rule: 'a folder, or left out together with memory: true' })
  }
  return {
    ...{
      clock,
      random,
      logger,
      schema,
      settings,
      useSnapshot,
      statementTimeoutMs,
      idleInTransactionMs,
      acquireTimeoutMs,
    },
    ...{ stuckAfterMs, housekeepingEveryMs },
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(onConnect === undefined ? {} : { onConnect }),
    ...(meter === undefined ? {} : { meter }),
  }
}
