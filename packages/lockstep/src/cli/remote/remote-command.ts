import { readFileSync } from 'node:fs'
import { errorMessage } from '@lockstep/base'
import { Command } from 'commander'
import { UsageError } from '../exit-codes.ts'
import { type Progress, progressOn } from '../terminal/progress.ts'
import { type Column, renderFields, renderTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type ApiClient, apiClient, type Body } from './api-client.ts'

export const DEFAULT_URL = 'http://127.0.0.1:4400'

export interface RemoteFlags {
  readonly url?: string
  readonly apiKey?: string
  readonly key?: string
  readonly json?: boolean
  readonly output?: string
  readonly debug?: boolean
}

const OUTPUTS = ['table', 'json', 'jsonl', 'id'] as const
type Output = (typeof OUTPUTS)[number]

/** What the action of a command that speaks to a node works with. */
export interface Session {
  readonly terminal: Terminal
  readonly api: ApiClient
  readonly output: Output
  readonly progress: Progress
  /** A list, in the form that was asked for. `empty`: what to say instead of a table without rows. */
  table(rows: readonly Body[], columns: readonly Column<Body>[], empty: string): void
  /** One thing. */
  fields(body: Body, fields: readonly (readonly [string, string | undefined])[]): void
  /** What was done, in a sentence; as JSON, the answer itself. */
  done(text: string, body: Body): void
}

export type Action<Flags> = (session: Session, args: readonly string[], flags: Flags) => Promise<void>

/** `list [options]`, with an address, a key and a form of output, besides what `describe` adds. */
export function remoteCommand<Flags = object>(
  terminal: Terminal,
  words: string,
  description: string,
  describe: (command: Command) => Command,
  action: Action<Flags>,
): Command {
  const command = describe(new Command(words.split(' ')[0]!))
    .description(description)
    .option('--url <url>', `node to speak to (${DEFAULT_URL}) [LOCKSTEP_URL]`)
    .option('--api-key <key>', 'sent as bearer token [LOCKSTEP_API_KEY, or the file that LOCKSTEP_API_KEY_FILE names]')
    .option('--json', 'print the answer as JSON; short for --output json')
    .option('-o, --output <form>', `${OUTPUTS.join(', ')} (table)`)
    .option('--debug', 'print the exchange with the server on standard error')
    .allowExcessArguments(false)
  // Some commands have a `--key` of their own, which is no credential.
  const hasOwnKey = command.options.some(({ long }) => long === '--key')
  if (!hasOwnKey) command.option('--key <key>', 'the same as --api-key')
  for (const word of words.split(' ').slice(1)) command.argument(word)
  return command.action(async (...given: unknown[]) => {
    const flags = command.opts<RemoteFlags & Flags>()
    const args = given.slice(0, -2).flat() as string[]
    const { key, ...others }: RemoteFlags = flags
    await action(sessionOf(terminal, hasOwnKey || key === undefined ? others : { ...others, key }), args, flags)
  })
}

function sessionOf(terminal: Terminal, flags: RemoteFlags): Session {
  const { environment, colors, err } = terminal
  const url = flags.url ?? (environment.LOCKSTEP_URL || DEFAULT_URL)
  if (!/^https?:\/\/[^/\s]+/.test(url))
    throw new UsageError({ text: `"${url}" is no address: write --url http://host:port` })
  const output = outputOf(flags)
  const api = apiClient({
    url,
    apiKey: flags.apiKey ?? flags.key ?? keyFrom(environment),
    signal: terminal.interrupted,
    ...(flags.debug ? { onExchange: (line: string) => err(`${colors.gray(line)}\n`) } : {}),
  })
  const json = (body: Body): void => terminal.out(`${JSON.stringify(body, null, 2)}\n`)
  return {
    terminal,
    api,
    output,
    progress: progressOn(terminal),
    table: (rows, columns, empty) => {
      if (output === 'json') json(rows)
      else if (output === 'jsonl') for (const row of rows) terminal.out(`${JSON.stringify(row)}\n`)
      else if (output === 'id')
        for (const row of rows) terminal.out(`${row.id ?? row.key ?? row.version ?? row.name ?? row.seq}\n`)
      else if (rows.length === 0) err(`${empty}\n`)
      else {
        const width = terminal.isTerminal ? terminal.columns : 0
        terminal.out(renderTable(rows, columns, { width, paintTitle: colors.bold }))
      }
    },
    fields: (body, fields) => {
      if (output === 'id') terminal.out(`${body.id ?? body.key}\n`)
      else if (output === 'table') terminal.out(renderFields(fields, colors.bold))
      else if (output === 'jsonl') terminal.out(`${JSON.stringify(body)}\n`)
      else json(body)
    },
    done: (text, body) => {
      if (output === 'id') terminal.out(`${body?.id ?? body?.key ?? ''}\n`)
      else if (output === 'table') terminal.out(`${text}\n`)
      else if (output === 'jsonl') terminal.out(`${JSON.stringify(body ?? {})}\n`)
      else json(body ?? {})
    },
  }
}

/** A key on the command line can be seen by everybody on the machine: the environment, or a file, is better. */
function keyFrom({ LOCKSTEP_API_KEY: key, LOCKSTEP_API_KEY_FILE: file }: Terminal['environment']): string | undefined {
  if (key || !file) return key || undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError({ text: `LOCKSTEP_API_KEY_FILE must name a readable file (${errorMessage(error)})` })
  }
}

function outputOf({ json, output }: RemoteFlags): Output {
  if (output === undefined) return json === true ? 'json' : 'table'
  const found = OUTPUTS.find((each) => each === output)
  if (found === undefined) throw new UsageError({ text: `"${output}" is no form of output: use ${OUTPUTS.join(', ')}` })
  return found
}

/** A noun with its verbs. */
export function noun(name: string, description: string, ...verbs: readonly Command[]): Command {
  const command = new Command(name).description(description)
  for (const verb of verbs) command.addCommand(verb)
  return command
}

const DEFAULT_LIMIT = 50

/** `--limit`, `--all`: how much of a list. */
export const paged = (command: Command): Command =>
  command.option('--limit <count>', `most items to show (${DEFAULT_LIMIT})`).option('--all', 'show all of them')

export interface PagedFlags {
  readonly limit?: string
  readonly all?: boolean
}

export function limitOf({ limit, all }: PagedFlags): number {
  if (all === true) return Number.MAX_SAFE_INTEGER
  if (limit === undefined) return DEFAULT_LIMIT
  if (!/^[1-9]\d{0,6}$/.test(limit))
    throw new UsageError({ text: `--limit must be a whole number from 1, not "${limit}"` })
  return Number(limit)
}

/** Asks before something that cannot be undone; scripts say `--yes`. */
export async function sure(terminal: Terminal, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return
  const answer = await terminal.confirm(question)
  if (answer === true) return
  throw new UsageError({
    text: answer === undefined ? `${question} There is nobody to ask: say --yes` : 'Nothing was done',
  })
}

export const pathOf = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('')
