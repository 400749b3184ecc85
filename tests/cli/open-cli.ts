import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator, memoryProvider } from '@lockstep/coordination'
import type { Engine, EngineOptions } from '@lockstep/engine'
import { type Db, postgresBrowse, postgresIdempotency } from '@lockstep/postgres'
import { openHttpServer } from '@lockstep/server'
import colors from 'picocolors'
import { runCli } from '../../packages/lockstep/src/cli/run-cli.ts'
import type { Terminal } from '../../packages/lockstep/src/cli/terminal/terminal.ts'
import { openTestEngine } from '../engine/open-test-engine.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what was printed
  readonly json: any
}

export interface CliOptions {
  /** What stands on the standard input. */
  readonly input?: string
  /** What a person answers; absent: there is nobody to ask. */
  readonly answers?: readonly boolean[]
  /** The same, for one who takes his time. */
  readonly answer?: () => Promise<boolean>
  readonly isTerminal?: boolean
  /** Of the standard error alone. @default `isTerminal` */
  readonly errIsTerminal?: boolean
  /** Aborts on Ctrl-C. */
  readonly interrupted?: AbortSignal
  readonly environment?: Readonly<Record<string, string>>
  /** Times that a command may pause before it is interrupted. */
  readonly pauses?: number
}

/** A node with a real engine on the embedded store, and the command line in this process. */
export interface TestCli extends AsyncDisposable {
  readonly engine: Engine
  readonly db: Db
  readonly locks: Coordinator
  readonly url: string
  readonly folder: string
  run(words: readonly string[], options?: CliOptions): Promise<Ran>
  /** Writes a file into the folder in which commands run. */
  write(name: string, content: unknown): Promise<string>
}

export async function openCli(options: Partial<EngineOptions> = {}): Promise<TestCli> {
  const opened = await openTestEngine(options)
  const { engine, db } = opened
  const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
  const locks = coordinator({ ...edge, provider: memoryProvider(edge), ownsProvider: true, name: 'node-a' })
  const server = await openHttpServer({
    ...edge,
    host: '127.0.0.1',
    port: 0,
    basePath: '/flow',
    health: { started: () => true, ready: async () => [] },
    engine,
    browse: postgresBrowse(db),
    idempotency: postgresIdempotency(db),
    locks: () => locks,
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-cli-'))
  return {
    engine,
    db,
    locks,
    url: server.url,
    folder,
    run: (words, how) => runIn(folder, { LOCKSTEP_URL: server.url }, words, how),
    write: async (name, content) => {
      await writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
      return name
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await locks.close()
      await opened[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function runIn(
  folder: string,
  environment: Readonly<Record<string, string>>,
  words: readonly string[],
  options: CliOptions = {},
): Promise<Ran> {
  let [out, err] = ['', '']
  const answers = [...(options.answers ?? [])]
  let pauses = options.pauses ?? 0
  const { isTerminal = false } = options
  const terminal: Terminal = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    isTerminal,
    columns: 120,
    colors: colors.createColors(isTerminal),
    errIsTerminal: options.errIsTerminal ?? isTerminal,
    errColors: colors.createColors(options.errIsTerminal ?? isTerminal),
    // Most tests read tables; what programs get is said where it matters.
    environment: { LOCKSTEP_OUTPUT: 'table', ...environment, ...options.environment },
    folder,
    now: () => systemClock.now(),
    pause: async () => pauses-- > 0,
    readInput: async () => options.input ?? '',
    readSecret: async () => (options.input ?? '').replace(/\r?\n$/, ''),
    confirm: options.answer ?? (async () => answers.shift()),
    interrupted: options.interrupted ?? new AbortController().signal,
  }
  const code = await runCli(words, terminal)
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out)
    },
  }
}
