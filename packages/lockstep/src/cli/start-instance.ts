import type { Command } from 'commander'
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
  if (flags.wait === undefined) return session.done(body.id, body)
  await followInstance(session, body.id, flags.wait === true ? '60s' : flags.wait)
}
