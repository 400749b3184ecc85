import { Command } from 'commander'
import { shown } from '../../log/shown.ts'
import { UsageError } from '../exit-codes.ts'
import { type Progress, progressOn } from '../terminal/progress.ts'
import type { Column, Fields } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type ApiClient, apiClient, type Body, type Query } from './api-client.ts'
import { type ConnectionFlags, connectionOf, DEFAULT_URL } from './connection.ts'
import { OUTPUTS, type Output, outputOf, Printer } from './output.ts'

export interface RemoteFlags extends ConnectionFlags {
  readonly json?: boolean
  readonly output?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
}

/** What the action of a command that speaks to a node works with. */
export interface Session {
  readonly terminal: Terminal
  readonly api: ApiClient
  readonly output: Output
  readonly progress: Progress
  /** Name of the profile that the server is of. */
  readonly profile: string | undefined
  /** A list, in the form that was asked for. `empty`: what to say instead of a table without rows. */
  table(rows: readonly Body[], columns: readonly Column<Body>[], empty: string): void
  /** A list of the server; as lines of JSON, each page as it comes. */
  list(source: ListSource, columns: readonly Column<Body>[], empty: string): Promise<void>
  /** One thing. */
  fields(body: Body, fields: Fields): void
  /** What was done, in a sentence; as JSON, the answer itself. */
  done(text: string, body: Body): void
}

export interface ListSource {
  readonly path: string
  readonly query?: Query
  readonly limit: number
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
    .option('--api-key <key>', 'sent as bearer token [LOCKSTEP_API_KEY, or the file that LOCKSTEP_API_KEY_FILE names]')
    .option('--profile <name>', 'address and key of "lockstep auth login" [LOCKSTEP_PROFILE]')
    .option('--json', 'print the answer as JSON; short for --output json')
    .option('-o, --output <form>', `${OUTPUTS.join(', ')} (table at a terminal, else json) [LOCKSTEP_OUTPUT]`)
    .option('--quiet', 'print data and failures, nothing else')
    .option('--verbose', 'say what is asked of whom, and everything about a failure')
    .option('--debug', 'print the exchange with the server on standard error')
    .allowExcessArguments(false)
  const has = (flag: string): boolean => command.options.some(({ long }) => long === flag)
  // One command speaks to several nodes.
  if (!has('--url')) command.option('--url <url>', `node to speak to (${DEFAULT_URL}) [LOCKSTEP_URL]`)
  // Some commands have a `--key` of their own, which is no credential.
  const hasOwnKey = has('--key')
  if (!hasOwnKey) command.option('--key <key>', 'the same as --api-key')
  for (const word of words.split(' ').slice(1)) command.argument(word)
  return command.action(async (...given: unknown[]) => {
    const flags = command.opts<RemoteFlags & Flags>()
    const args = given.slice(0, -2).flat() as string[]
    const { key, url, ...others }: RemoteFlags = flags
    const [address] = [url].flat()
    const said = {
      ...others,
      ...(address === undefined ? {} : { url: address }),
      ...(hasOwnKey || key === undefined ? {} : { key }),
    }
    await action(sessionOf(terminal, said), args, flags)
  })
}

function sessionOf(terminal: Terminal, flags: RemoteFlags): Session {
  const { environment, errColors, err } = terminal
  const { url, apiKey, profile } = connectionOf(flags, environment)
  const form = flags.output ?? (flags.json === true ? 'json' : environment.LOCKSTEP_OUTPUT)
  const output = outputOf(form, terminal)
  if (flags.verbose)
    err(errColors.gray(`${url.value} (${url.origin})${apiKey === undefined ? '' : `, key of ${apiKey.origin}`}\n`))
  const api = apiClient({
    url: url.value,
    apiKey: apiKey?.value,
    signal: terminal.interrupted,
    ...(flags.debug || flags.verbose ? { onExchange: (line: string) => err(`${errColors.gray(line)}\n`) } : {}),
  })
  const printer = new Printer(terminal, output)
  return {
    terminal,
    api,
    output,
    profile,
    progress: progressOn(terminal),
    table: (rows, columns, empty) => printer.table(rows, columns, empty),
    list: async ({ path, query = {}, limit }, columns, empty) => {
      if (output !== 'jsonl') return printer.table(await api.list(path, query, limit), columns, empty)
      for await (const page of api.pages(path, query, limit)) printer.table(page, columns, empty)
    },
    fields: (body, fields) => printer.fields(body, fields),
    // Names and messages of others stand in it.
    done: (text, body) => printer.done(shown(text), body),
  }
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

interface Asking {
  readonly terminal: Terminal
  readonly profile?: string | undefined
}

/** Asks before something that cannot be undone; scripts say `--yes`. Whose server it is stands before the question. */
export async function sure(asking: Asking, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return
  const answer = await ask(asking, question)
  if (answer === undefined) throw new UsageError({ text: `${question} There is nobody to ask: say --yes` })
  if (!answer) throw new UsageError({ text: 'Nothing was done' })
}

/** Asks people before something they may regret; programs know what they do. */
export async function agreed(asking: Asking, yes: boolean | undefined, question: string): Promise<void> {
  if (yes !== true && (await ask(asking, question)) === false) throw new UsageError({ text: 'Nothing was done' })
}

const ask = ({ terminal, profile }: Asking, question: string): Promise<boolean | undefined> =>
  terminal.confirm(profile === undefined ? question : `${terminal.errColors.red(`[${profile}]`)} ${question}`)

export const pathOf = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('')
