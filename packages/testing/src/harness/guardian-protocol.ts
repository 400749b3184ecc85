/** What the owner of a server and its guardian say to each other: one JSON document per line, over the guardian's stdin and stdout. */

/** The line with which every run of a command begins in its log. */
export const LAUNCH_MARK = '--- launched by the harness ---'

export interface Command {
  /** Also the name of its log in the private folder: `<name>.log`. */
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly user?: SystemUser
}

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** The guardian's only argument, as JSON. */
export interface GuardianSetup {
  readonly parentFolder: string
  readonly prefix: string
  /** Who owns the private folder, when it is not the guardian's own user. */
  readonly user?: SystemUser
}

export type GuardianRequest =
  /** Answers with the pid; its exit follows as a message of its own. */
  | { readonly do: 'spawn'; readonly command: Command }
  /** Answers with the exit. */
  | { readonly do: 'run'; readonly command: Command }
  /** Signals one spawned process and nothing below it. */
  | { readonly do: 'signal'; readonly name: string; readonly signal: NodeJS.Signals }
  /** Answers when every process is stopped. */
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** Kills `name`, gives what it leaves behind `orphansMs` to go by itself, kills the rest. Answers when all are gone. */
  | { readonly do: 'kill'; readonly name: string; readonly orphansMs: number }
  /** Asks `name` to end, kills whatever is left after `graceMs`, removes the folder, answers, ends the guardian. */
  | { readonly do: 'finish'; readonly name: string; readonly signal: NodeJS.Signals; readonly graceMs: number }

export type GuardianMessage =
  | { readonly type: 'hello'; readonly folder: string }
  /** Something the guardian did not expect; it cleans up and ends. */
  | { readonly type: 'failure'; readonly reason: string }
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly reason: string }
  /** The process that request `id` spawned is gone. */
  | { readonly type: 'exit'; readonly id: number; readonly exit: Exit }
