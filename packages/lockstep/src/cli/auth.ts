import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import { apiClient } from './remote/api-client.ts'
import { type Connection, connectionOf } from './remote/connection.ts'
import { PROFILE_NAME, readProfiles, writeProfiles } from './remote/profiles.ts'
import { noun, type RemoteFlags, remoteCommand, type Session } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

const DEFAULT_PROFILE = 'default'

/** Servers under names of one's own. Keys stand in a file of the user's that nobody else can read. */
export function authCommand(terminal: Terminal): Command {
  return noun(
    'auth',
    'servers and keys that are kept under a name',
    remoteCommand<RemoteFlags>(
      terminal,
      'login [name]',
      'keep address and key of a server under a name; the key is read from standard input unless it is given',
      (c) => c,
      async (session, [name = DEFAULT_PROFILE], flags) => login(session, name, flags),
    ),
    remoteCommand(
      terminal,
      'status',
      'say who the server takes you for, and what you may do',
      (c) => c,
      async (session) => {
        const { body } = await session.api.call('GET', '/session')
        session.fields({ ...body, url: session.api.url, profile: session.profile ?? null }, [
          ['server', session.api.url],
          ['profile', session.profile],
          ['name', body.name],
          ['kind', body.kind],
          ['role', body.role ?? undefined],
          ['tenant', body.tenant],
          ['may', body.permissions.join(', ')],
        ])
      },
    ),
    remoteCommand<RemoteFlags>(
      terminal,
      'logout',
      'forget a profile and its key; the key itself stays valid',
      (c) => c,
      async (session, _, { profile }) => {
        const known = readProfiles(terminal.environment)
        const name = profile ?? terminal.environment.LOCKSTEP_PROFILE ?? known.current ?? DEFAULT_PROFILE
        if (known.profiles[name] === undefined) throw new UsageError({ text: `There is no profile "${name}"` })
        const { [name]: _gone, ...profiles } = known.profiles
        const { current, ...rest } = known
        writeProfiles(terminal.environment, {
          ...rest,
          ...(current === undefined || current === name ? {} : { current }),
          profiles,
        })
        session.done(`Profile ${name} is forgotten`, { profile: name })
      },
    ),
    remoteCommand(
      terminal,
      'list',
      'list profiles',
      (c) => c,
      async (session) => {
        const { current, profiles } = readProfiles(terminal.environment)
        const rows = Object.entries(profiles).map(([name, { url, apiKey }]) => ({
          ...{ name, url, current: name === current },
          hasKey: apiKey !== undefined,
        }))
        session.table(
          rows,
          [
            { title: 'NAME', text: (row) => row.name },
            { title: 'SERVER', text: (row) => row.url, elastic: true },
            { title: 'KEY', text: (row) => (row.hasKey ? 'kept' : 'none') },
            { title: 'CURRENT', text: (row) => (row.current ? 'yes' : '') },
          ],
          'No profiles: "lockstep auth login" keeps one',
        )
      },
    ),
  )
}

async function login(session: Session, name: string, flags: RemoteFlags): Promise<void> {
  const { terminal } = session
  const { environment, interrupted: signal } = terminal
  if (!PROFILE_NAME.test(name))
    throw new UsageError({ text: `"${name}" is no name of a profile: use letters, digits, dots and hyphens` })
  const known = readProfiles(environment)
  // Signing in again is signing in to the same server, unless another is named.
  const again = known.profiles[name] !== undefined && !flags.url && !flags.profile && !environment.LOCKSTEP_URL
  const { url, apiKey: found } = connectionOf(again ? { ...flags, profile: name } : flags, environment)
  const apiKey = await keyFor(terminal, url.value, found)
  const kept = { url: url.value, ...(apiKey === '' ? {} : { apiKey }) }
  const { body } = await apiClient({ ...kept, signal }).call('GET', '/session')
  const file = writeProfiles(environment, { current: name, profiles: { ...known.profiles, [name]: kept } })
  session.done(`${body.name} (${body.role ?? body.kind}) at ${url.value} is profile ${name}, kept in ${file}`, {
    ...{ profile: name, url: url.value, file },
    caller: body,
  })
}

/** A key that a profile holds was not given now: it gives way to one that is, and stays where none is. */
async function keyFor(terminal: Terminal, url: string, found: Connection['apiKey']): Promise<string> {
  const isKept = found?.origin.startsWith('profile ') === true
  if (found !== undefined && !isKept) return found.value
  const rest = isKept ? ' (Enter: the one that is kept)' : ''
  const given = (await terminal.readSecret(`Key for ${url}${rest}: `)).trim()
  return given === '' ? (found?.value ?? '') : given
}
