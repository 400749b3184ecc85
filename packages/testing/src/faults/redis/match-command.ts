import type { CutMoment } from '../exchange/rule.ts'
import { type Selection, selector } from '../exchange/selection.ts'
import { type ConnectionLanding, defineFault, type Fault } from '../fault/fault.ts'
import type { Command, CommandReply } from './command.ts'

export interface MatchCommandOptions extends Selection {
  readonly when: CutMoment
  /** A name in any case, or a pattern tried on the name in upper case. @default any */
  readonly command?: string | RegExp
  /** One key or channel of the command begins with this. @default any */
  readonly keyPrefix?: string
}

/** A command whose outcome its client never learned. */
export interface CommandLanding extends ConnectionLanding {
  readonly when: CutMoment
  readonly command: string
  readonly keys: readonly string[]
  /** What the server answered; absent when it never got the command. */
  readonly reply?: CommandReply
}

/**
 * Cuts the connection around a matching command. `before-forward`: the server never gets it. `after-forward`: the server
 * has executed it, and the client never gets the reply. The connection always dies: with one reply missing, a client
 * would take each later reply for that of the command before.
 */
export function matchCommand(options: MatchCommandOptions): Fault<CommandLanding> {
  const { when } = options
  const selects = selector(options)
  return defineFault('match-command', (site, land) =>
    site.judge('redis', (command, { id }) => {
      if (!matches(options, command) || !selects(site.random)) return undefined
      const { name, keys } = command
      return {
        do: 'cut',
        when,
        landed: (reply) => land({ connectionId: id, when, command: name, keys, ...(reply && { reply }) }),
      }
    }),
  )
}

function matches({ command, keyPrefix }: MatchCommandOptions, { name, keys }: Command): boolean {
  const named =
    command === undefined ||
    (typeof command === 'string' ? name === command.toUpperCase() : name.search(command) !== -1)
  return named && (keyPrefix === undefined || keys.some((key) => key.startsWith(keyPrefix)))
}
