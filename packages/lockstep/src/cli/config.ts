import type { Command } from 'commander'
import { optionOrigins } from '../options/option-origins.ts'
import { optionNames } from '../options/raw-options.ts'
import { readEnvironment } from '../options/read-environment.ts'
import { shownOption } from '../options/shown-option.ts'
import { connectionOf } from './remote/connection.ts'
import { noun, type RemoteFlags, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface Row {
  readonly name: string
  readonly value: string
  readonly origin: string
}

export function configCommand(terminal: Terminal): Command {
  return noun(
    'config',
    'what a command, or a node started here, would run with',
    remoteCommand<RemoteFlags & { origin?: boolean; config?: string }>(
      terminal,
      'show',
      'show the options that are set here; credentials are hidden',
      (c) =>
        c
          .option('--origin', 'say who set each of them')
          .option('--config <file>', 'configuration file (lockstep.config.ts, .js, .json or .yaml)'),
      async (session, _, { origin, config, ...flags }) => {
        const { readConfigFile } = await import('../options/read-config-file.ts')
        const { options: ofFile, file } = await readConfigFile(terminal.folder, config)
        const ofEnvironment = readEnvironment(terminal.environment)
        const { url, apiKey, profile } = connectionOf(flags, terminal.environment)
        const rows: Row[] = [
          { name: 'url', value: url.value, origin: url.origin },
          ...(apiKey === undefined ? [] : [{ name: 'api key', value: '***', origin: apiKey.origin }]),
          ...(profile === undefined ? [] : [{ name: 'profile', value: profile, origin: 'profiles' }]),
          { name: 'output', value: session.output, origin: originOfOutput(flags, terminal) },
        ]
        const origins = optionOrigins({
          environment: terminal.environment,
          file: { name: file ?? 'file', options: ofFile },
        })
        for (const option of optionNames) {
          const value = ofEnvironment[option] ?? ofFile[option]
          const by = origins[option]
          if (by !== undefined) rows.push({ name: `server.${option}`, value: shownOption(option, value), origin: by })
        }
        session.table(
          origin === true ? rows : rows.map(({ name, value }) => ({ name, value })),
          [
            { title: 'NAME', text: (row) => row.name },
            { title: 'VALUE', text: (row) => row.value, elastic: true },
            ...(origin === true ? [{ title: 'ORIGIN', text: (row: Row) => row.origin }] : []),
          ],
          'Nothing is set',
        )
      },
    ),
  )
}

function originOfOutput({ output, json }: RemoteFlags, { environment }: Terminal): string {
  if (output !== undefined) return '--output'
  if (json === true) return '--json'
  return environment.LOCKSTEP_OUTPUT ? 'LOCKSTEP_OUTPUT' : 'default'
}
