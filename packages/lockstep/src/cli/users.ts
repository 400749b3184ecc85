import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'

interface SetFlags {
  readonly role?: string
  readonly passwordStdin?: boolean
  readonly disable?: boolean
  readonly enable?: boolean
}

export function usersCommand(terminal: Terminal): Command {
  return noun(
    'users',
    'people who sign in with a password',
    remoteCommand<{ role?: string; tenant?: string }>(
      terminal,
      'create <name>',
      'make a user; the password is read from standard input',
      (c) =>
        c
          .option('--role <role>', 'viewer, operator, designer or admin')
          .option('--tenant <tenant>', 'for another tenant than your own'),
      async (session, [name], { role, tenant }) => {
        if (role === undefined) throw new UsageError({ text: 'Say --role viewer, operator, designer or admin' })
        const password = await passwordFrom(terminal)
        const { body } = await session.api.call('POST', '/users', { body: { name, password, role, tenant } })
        session.done(`${body.name}: ${body.role}`, body)
      },
    ),
    remoteCommand<PagedFlags>(terminal, 'list', 'list users', paged, async (session, _, flags) => {
      await session.list(
        { path: '/users', limit: limitOf(flags) },
        [
          { title: 'NAME', text: (row) => row.name, elastic: true },
          { title: 'ROLE', text: (row) => row.role },
          { title: 'TENANT', text: (row) => row.tenant },
          {
            title: 'SIGNED IN',
            text: (row) => (row.lastSignInAt === null ? '' : agoText(row.lastSignInAt, terminal.now())),
          },
          { title: 'STATE', text: (row) => (row.disabled ? 'disabled' : 'enabled') },
        ],
        'No users',
      )
    }),
    remoteCommand<SetFlags>(
      terminal,
      'set <name>',
      'change the role or the password of a user, or bar it; its sessions end',
      (c) =>
        c
          .option('--role <role>', 'viewer, operator, designer or admin')
          .option('--password-stdin', 'read a new password from standard input')
          .option('--disable', 'cannot sign in any more')
          .option('--enable', 'can sign in again'),
      async (session, [name], flags) => {
        const { role, passwordStdin, disable, enable } = flags
        if (disable === true && enable === true) throw new UsageError({ text: 'Say --disable or --enable, not both' })
        const change = {
          role,
          ...(passwordStdin === true ? { password: await passwordFrom(terminal) } : {}),
          ...(disable === true || enable === true ? { disabled: disable === true } : {}),
        }
        if (Object.values(change).every((each) => each === undefined))
          throw new UsageError({ text: 'Say --role, --password-stdin, --disable or --enable' })
        const { body } = await session.api.call('PUT', pathOf('users', name!), { body: change })
        session.done(`${body.name}: ${body.role}${body.disabled ? ', disabled' : ''}`, body)
      },
    ),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'delete <name>',
      'take a user away',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, [name], { yes }) => {
        await sure(session, yes, `Delete user ${name}?`)
        await session.api.call('DELETE', pathOf('users', name!))
        session.done(`${name}: deleted`, { name })
      },
    ),
    remoteCommand(
      terminal,
      'sign-out <subject>',
      'end all sessions of a user, or of somebody whom the issuer knows, as the audit log names them',
      (c) => c,
      async (session, [given]) => {
        const subject = given!.includes(':') ? given! : `user:${given}`
        const { body } = await session.api.call('DELETE', '/sessions', { query: { subject } })
        session.done(`${subject}: ${body.ended} ${body.ended === 1 ? 'session' : 'sessions'} ended`, body)
      },
    ),
  )
}

/** Never on the command line: others on the machine could read it there. */
async function passwordFrom(terminal: Terminal): Promise<string> {
  const text = await terminal.readSecret('Password: ')
  if (text === '')
    throw new UsageError({ text: 'Give the password on standard input: lockstep users … < password.txt' })
  return text
}
