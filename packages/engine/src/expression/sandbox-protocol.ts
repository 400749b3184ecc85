import type { ExpressionLimitName } from './errors.ts'

/** What a thread is started with; the same for its whole life. */
export interface MachineSettings {
  /** QuickJS. Compiled once for all threads: machine code that one of them needed is there for the next. */
  readonly engine: WebAssembly.Module
  readonly softLimitMs: number
  readonly memoryBytes: number
  readonly outputBytes: number
}

export interface SandboxRequest {
  /** A function expression, from `parseProgram`. */
  readonly program: string
  /** JSON. */
  readonly scope: string
}

export type SandboxOutcome =
  | { readonly status: 'value'; readonly json: string }
  | { readonly status: 'threw'; readonly name: string; readonly message: string }
  | { readonly status: 'limit'; readonly limit: ExpressionLimitName }
  | { readonly status: 'invalid'; readonly reason: string }

/** A thread takes one request at a time: `ready` once, then an outcome for each. `workedMs`: what it has had of a processor so far, see `ThreadTime`. */
export type SandboxReply =
  | { readonly type: 'ready'; readonly workedMs: number; readonly place: string | undefined }
  | { readonly type: 'outcome'; readonly workedMs: number; readonly outcome: SandboxOutcome }
