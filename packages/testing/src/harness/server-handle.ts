import type { ServerName } from './errors.ts'

/** A server under test. Verbs given at once run one after the other. */
export interface ServerHandle extends AsyncDisposable {
  readonly server: ServerName
  /** Stays the same over every restart. */
  readonly url: string
  readonly port: number
  /** Of the running server; `undefined` while it is down, and for an external server. */
  readonly pid: number | undefined
  /** Everything it writes is in there; `undefined` for an external server. */
  readonly folder: string | undefined
  /** Named by an environment variable instead of started here: only `stop` works, and it leaves the server alone. */
  readonly external: boolean
  /** Brings a killed server back on the same port and data, and waits until it answers. Starting a running one is no error. */
  start(): Promise<void>
  /** Ends it in order (PostgreSQL: fast shutdown) and starts it on the same port and data. Also brings back a killed one. */
  restart(options?: RestartOptions): Promise<void>
  /** SIGKILL, as a crash would. Resolves when no process of the server is left. The data stays. */
  kill9(): Promise<void>
  /** SIGSTOP to every process of the server: connections stay open and nothing answers. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends it for good and removes its folder. Stopping a stopped one is no error. */
  stop(): Promise<void>
  /** The last lines of its log. */
  log(lineCount?: number): string[]
}

export interface RestartOptions {
  /** Wait until it answers. @default true */
  readonly ready?: boolean
}
