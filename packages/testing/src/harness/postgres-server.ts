import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askPort } from './ask-port.ts'
import { ServerFailed } from './errors.ts'
import { externalServer } from './external-server.ts'
import { siblingOf } from './find-binary.ts'
import type { Guardian } from './guardian-client.ts'
import { startOwnServer } from './own-server.ts'
import { type Progress, progressTo, stopwatch } from './progress.ts'
import { requireBinary, type StartOptions } from './require-binary.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerHandle } from './server-handle.ts'
import { MAIN, type ServerProgram } from './server-program.ts'
import { unprivilegedUser } from './system-user.ts'

export interface PostgresOptions extends StartOptions {
  /** Keep every commit over a crash, as a stock server does. Off is faster, and `kill9` loses the latest. @default false */
  readonly durable?: boolean
  readonly maxConnections?: number
  /** Server settings, over everything the harness sets. */
  readonly settings?: Readonly<Record<string, string>>
}

export const POSTGRES_VARIABLE = 'LOCKSTEP_TEST_DATABASE_URL'
const SERVER = 'PostgreSQL'

/** A private PostgreSQL. User `postgres` needs no password; `url` names the database `postgres`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<ServerHandle> {
  const { env = process.env, quiet = false } = options
  const progress = progressTo(quiet)
  const external = env[POSTGRES_VARIABLE]
  if (external) return externalServer(SERVER, external, POSTGRES_VARIABLE, 5432, progress)

  const packages = ['postgresql', 'postgresql-contrib']
  const wanted = { server: SERVER, binary: 'postgres', packages, variable: POSTGRES_VARIABLE }
  const binary = await requireBinary(wanted, options, progress)
  return startOwnServer(postgresProgram(binary, options, progress), progress)
}

function postgresProgram(binary: string, options: PostgresOptions, progress: Progress): ServerProgram {
  const user = unprivilegedUser('postgres')
  const asUser = user ? { user } : {}
  return {
    server: SERVER,
    ...asUser,
    stopSignal: 'SIGINT',
    orphansMs: 5_000,
    startMs: 60_000,
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    prepare: (guardian) => makeDataFolder(guardian, siblingOf(binary, 'initdb') ?? 'initdb', asUser, progress),
    launch(guardian, port) {
      const settings = { ...settingsFor(guardian.folder, options), ...options.settings }
      const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      return guardian.spawn({
        name: MAIN,
        file: binary,
        args: ['-D', dataFolder(guardian), '-p', String(port), ...args],
        env: serverEnvironment(guardian.folder),
        ...asUser,
      })
    },
    answers: async (guardian, port) => saysReady(guardian) && acceptsSessions(port),
  }
}

function settingsFor(
  folder: string,
  { durable = false, maxConnections = 200 }: PostgresOptions,
): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    // The kernel takes socket paths of about 100 characters; a temporary folder may be deeper than that.
    unix_socket_directories: folder.length < 80 ? folder : '',
    max_connections: String(maxConnections),
    // Segments outside the private folder would outlive a killed server.
    dynamic_shared_memory_type: 'mmap',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

function dataFolder(guardian: Guardian): string {
  return join(guardian.folder, 'data')
}

async function makeDataFolder(
  guardian: Guardian,
  initdb: string,
  asUser: Pick<ServerProgram, 'user'>,
  progress: Progress,
): Promise<void> {
  const took = stopwatch()
  const fixed = ['-D', dataFolder(guardian), '-N', '--auth=trust', '-U', 'postgres', '--no-instructions', '-E', 'UTF8']
  // Not every system has C.UTF-8.
  for (const locale of ['C.UTF-8', 'C']) {
    const args = [...fixed, `--locale=${locale}`]
    const env = serverEnvironment(guardian.folder)
    const { code } = await guardian.run({ name: 'initdb', file: initdb, args, env, ...asUser })
    if (code === 0) return progress(`${SERVER}: initdb took ${took()}`)
  }
  throw new ServerFailed({ server: SERVER, doing: 'running initdb', log: guardian.logOf('initdb') })
}

/** The postmaster writes its state into its own lock file, so this cannot be another server's word. */
function saysReady(guardian: Guardian): boolean {
  try {
    return (
      readFileSync(join(dataFolder(guardian), 'postmaster.pid'), 'utf8')
        .split('\n')[7]
        ?.trim() === 'ready'
    )
  } catch {
    return false
  }
}

async function acceptsSessions(port: number): Promise<boolean> {
  const startUp = Buffer.from('\0\0\0\0\0\x03\0\0user\0postgres\0database\0postgres\0\0')
  startUp.writeInt32BE(startUp.length)
  const readyForQuery = Buffer.from('Z\0\0\0\x05I')
  return (await askPort(port, startUp, (answer) => answer.includes(readyForQuery))) !== undefined
}
