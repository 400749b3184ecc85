import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'

interface CreateFlags {
  readonly role?: string
  readonly permission?: readonly string[]
  readonly expiresIn?: string
  readonly tenant?: string
}

export function keysCommand(terminal: Terminal): Command {
  return noun(
    'keys',
    'API keys of programs',
    remoteCommand<CreateFlags>(
      terminal,
      'create <name>',
      'make a key; it is printed once and kept nowhere',
      (c) =>
        c
          .option('--role <role>', 'viewer, operator, designer or admin')
          .option('--permission <permission...>', 'narrows what the role may do')
          .option('--expires-in <duration>', 'such as 90d; never unless given')
          .option('--tenant <tenant>', 'for another tenant than your own'),
      async (session, [name], { role, permission, expiresIn, tenant }) => {
        if (role === undefined) throw new UsageError({ text: 'Say --role viewer, operator, designer or admin' })
        const wanted = { name, role, permissions: permission, expiresIn, tenant }
        const { body } = await session.api.call('POST', '/api-keys', { body: wanted })
        if (session.output === 'table') terminal.err(`${body.id} (${body.role}): the key is shown this once\n`)
        session.done(body.key, body)
      },
    ),
    remoteCommand<PagedFlags>(terminal, 'list', 'list keys, newest first', paged, async (session, _, flags) => {
      const ago = (at: string | null): string => (at === null ? '' : agoText(at, terminal.now()))
      await session.list(
        { path: '/api-keys', limit: limitOf(flags) },
        [
          { title: 'ID', text: (row) => row.id },
          { title: 'NAME', text: (row) => row.name, elastic: true },
          { title: 'ROLE', text: (row) => row.role + (row.permissions === null ? '' : ' (narrowed)') },
          { title: 'TENANT', text: (row) => row.tenant },
          { title: 'CREATED', text: (row) => ago(row.createdAt) },
          { title: 'USED', text: (row) => ago(row.lastUsedAt) },
          { title: 'STATE', text: (row) => (row.live ? 'live' : row.revokedAt === null ? 'expired' : 'revoked') },
        ],
        'No keys',
      )
    }),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'revoke <id>',
      'take a key out of use',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, [id], { yes }) => {
        await sure(session, yes, `Revoke ${id}? Programs that use it are refused from now on.`)
        const { body } = await session.api.call('POST', `${pathOf('api-keys', id!)}/revoke`)
        session.done(`${id}: revoked`, body)
      },
    ),
  )
}
