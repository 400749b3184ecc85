import { parseDuration } from '@lockstep/base'
import type { Command } from 'commander'
import { EndedBadly, EXIT, UsageError } from './exit-codes.ts'
import { followInstance } from './follow-instance.ts'
import { remoteCommand, type Session } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'

interface StartFlags {
  readonly input?: string
  readonly correlation?: string
  readonly dedupe?: string
  readonly ofVersion?: string
  readonly priority?: string
  readonly wait?: string | true
}

/** The verb under both nouns: `instances start` and `workflow run`. */
export function startCommand(terminal: Terminal, verb: 'start' | 'run', description: string): Command {
  return remoteCommand<StartFlags>(
    terminal,
    `${verb} <definition>`,
    description,
    (c) =>
      c
        .option('--input <json>', 'JSON, @file, or - for standard input')
        .option('--correlation <id>', 'events with the same one reach it')
        .option('--dedupe <key>', 'two starts with the same key are one instance')
        .option('--of-version <number>', 'instead of the published one')
        .option('--priority <number>', '0 to 9: where it has to wait for its turn, a higher one goes before')
        .option('--wait [duration]', 'wait for its end (60s) and exit with 1 unless it completed'),
    start,
  )
}

async function start(session: Session, [definitionId]: readonly string[], flags: StartFlags): Promise<void> {
  const { terminal, api } = session
  // Before it is started: a slip here must not leave an instance behind that nobody meant to wait for.
  const waitMs = flags.wait === undefined ? undefined : waitOf(flags.wait)
  const { body } = await api.call('POST', '/workflow-instances', {
    body: {
      definitionId,
      input: await readJson(terminal, '--input', flags.input),
      correlationId: flags.correlation,
      dedupeKey: flags.dedupe,
      version: flags.ofVersion === undefined ? undefined : Number(flags.ofVersion),
      priority: flags.priority === undefined ? undefined : Number(flags.priority),
    },
  })
  if (waitMs === undefined) return session.done(body.id, body)
  await followInstance(session, body.id, waitMs).catch((error: unknown) => {
    // Whoever stops waiting, or loses the server, has to find it again. How it ended, and that it is late, names it already.
    const isTold = EndedBadly.is(error) && error.details.exitCode !== EXIT.interrupted
    if (!isTold) terminal.err(`${body.id} was started and goes on: lockstep instances watch ${body.id}\n`)
    throw error
  })
}

function waitOf(given: string | true): number {
  try {
    return parseDuration(given === true ? '60s' : given)
  } catch (error) {
    throw new UsageError({ text: `--wait takes a duration such as 30s, not "${given}"` }, { cause: error })
  }
}
