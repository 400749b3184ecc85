import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import { gather } from './terminal/pairs.ts'
import { readText } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'

export function secretsCommand(terminal: Terminal): Command {
  return noun(
    'secrets',
    'values that steps use and nobody reads back',
    remoteCommand<{ file?: string; host?: readonly string[]; anywhere?: boolean }>(
      terminal,
      'set <name>',
      'give a secret its value, read from standard input or a file',
      (c) =>
        c
          .option('--file <file>', 'read the value from a file; - is standard input')
          .option('--host <host>', 'send it there alone, such as api.example.org; again for each further one', gather)
          .option('--anywhere', 'let it be sent anywhere; without --host and this, as it was'),
      async (session, [name], { file = '-', host, anywhere = false }) => {
        if (anywhere && host !== undefined) throw new UsageError({ text: 'Give --host or --anywhere, not both' })
        const hosts = anywhere ? [] : host
        const value =
          file === '-'
            ? await terminal.readSecret(`Value of ${name}: `)
            : (await readText(terminal, file)).replace(/\r?\n$/, '')
        if (value === '')
          throw new UsageError({ text: `Give the value on standard input: lockstep secret set ${name} < value.txt` })
        const { body } = await session.api.call('PUT', pathOf('secrets', name!), { body: { value, hosts } })
        session.done(`${body.name}: set (revision ${body.revision}), for ${hostsText(body)}`, body)
      },
    ),
    remoteCommand<PagedFlags>(
      terminal,
      'list',
      'list secrets, without their values',
      paged,
      async (session, _, flags) => {
        await session.list(
          { path: '/secrets', limit: limitOf(flags) },
          [
            { title: 'NAME', text: (row) => row.name, elastic: true },
            { title: 'REVISION', text: (row) => String(row.revision) },
            { title: 'FOR', text: hostsText },
            { title: 'SET', text: (row) => (row.updatedAt === null ? '' : agoText(row.updatedAt, terminal.now())) },
            { title: 'BY', text: (row) => row.updatedBy },
            { title: 'KEY', text: (row) => row.keyId },
          ],
          'No secrets',
        )
      },
    ),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'remove <name>',
      'take a secret away',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, [name], { yes }) => {
        await sure(session, yes, `Remove secret ${name}? Steps that name it fail from now on.`)
        await session.api.call('DELETE', pathOf('secrets', name!))
        session.done(`${name}: removed`, { name })
      },
    ),
    remoteCommand(
      terminal,
      'rotate',
      'seal all secrets anew with the first key of LOCKSTEP_SECRET_KEYS',
      (c) => c,
      async (session) => {
        let resealed = 0
        const unreadable: { tenant: string; name: string; keyId: string }[] = []
        for (let after: unknown = null; ; ) {
          const { body } = await session.api.call('POST', '/secrets/rotate', { body: after === null ? {} : { after } })
          resealed += body.resealed
          unreadable.push(...body.unreadable)
          after = body.next
          if (after !== null) continue
          const left = unreadable.map(({ tenant, name, keyId }) => `${tenant}/${name} (key ${keyId})`).join(', ')
          const rest = left === '' ? 'No other key is needed any more' : `No key of the node opens ${left}`
          return session.done(`${resealed} sealed anew with key ${body.keyId}. ${rest}`, {
            ...body,
            resealed,
            unreadable,
          })
        }
      },
    ),
  )
}

const hostsText = ({ hosts }: Body): string => (hosts.length === 0 ? 'any host' : hosts.join(', '))
