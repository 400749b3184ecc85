import type { Command } from 'commander'
import { redactText } from '../log/redact.ts'
import { environmentNames, optionNames, type RawOptions } from '../options/raw-options.ts'
import { readEnvironment } from '../options/read-environment.ts'
import { connectionOf } from './remote/connection.ts'
import { noun, type RemoteFlags, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface Row {
  readonly name: string
  readonly value: string
  readonly origin: string
}

/** Options that hold a credential, whole or within an address. */
const HIDDEN = new Set<keyof RawOptions>(['apiKey', 'secret', 'secretKeys', 'oidcClientSecret', 'connections'])

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
        for (const option of optionNames) {
          const name = `server.${option}`
          const set = ofEnvironment[option]
          if (set !== undefined) rows.push({ name, value: shown(option, set), origin: variableOf(option, terminal) })
          else if (ofFile[option] !== undefined)
            rows.push({ name, value: shown(option, ofFile[option]), origin: file ?? 'file' })
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

function variableOf(option: keyof RawOptions, { environment }: Terminal): string {
  const name = environmentNames[option]
  return environment[name] ? name : environment[`${name}_FILE`] ? `${name}_FILE` : 'LOCKSTEP_LOG'
}

function shown(option: keyof RawOptions, value: unknown): string {
  if (HIDDEN.has(option)) return '***'
  return redactText(typeof value === 'string' ? value : JSON.stringify(value))
}
