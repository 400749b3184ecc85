import type { Command } from 'commander'
import { noun, remoteCommand } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'

export function eventsCommand(terminal: Terminal): Command {
  return noun(
    'events',
    'what instances wait for',
    remoteCommand<{ payload?: string; correlation?: string; ttl?: string }>(
      terminal,
      'publish <name>',
      'tell all instances that wait for it',
      (c) =>
        c
          .option('--payload <json>', 'JSON, @file, or - for standard input')
          .option('--correlation <id>', 'reach only instances with this correlation id')
          .option('--ttl <duration>', 'how long it is kept for those that wait later (24h)'),
      async (session, [name], { payload, correlation: correlationId, ttl }) => {
        const body = { name, correlationId, ttl, payload: await readJson(terminal, '--payload', payload) }
        const { body: told } = await session.api.call('POST', '/events', { body })
        const reached = `${told.matched} instance${told.matched === 1 ? '' : 's'}`
        const started = told.started > 0 ? `, started ${told.started}` : ''
        session.done(`Reached ${reached}${started}${told.kept ? '; kept for who waits later' : ''}`, told)
      },
    ),
  )
}
