import path from 'node:path'
import { InvalidOption, systemClock } from '@lockstep/base'
import type { Terminal } from '../cli/terminal/terminal.ts'
import { environmentNames } from '../options/raw-options.ts'
import { readEnvironment } from '../options/read-environment.ts'
import { clusterFolder } from './cluster-folder.ts'
import { DevCluster } from './dev-cluster.ts'
import { KEYS_HELP, readKeys } from './keys.ts'
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts'

export interface ClusterDevFlags {
  readonly nodes?: string
  readonly port?: string
  readonly host?: string
  readonly databaseUrl?: string
  readonly dataDir?: string
}

const MOST_NODES = 9
/** Of the front; nodes take the ports behind it. */
const DEFAULT_PORT = 4400

/** Brings a cluster up on this machine and keeps it until it is told to stop. */
export async function runClusterDev(flags: ClusterDevFlags, terminal: Terminal): Promise<void> {
  const count = wholeNumber('nodes', flags.nodes ?? '3', 1, MOST_NODES)
  const port = wholeNumber('port', flags.port ?? terminal.environment.LOCKSTEP_PORT ?? String(DEFAULT_PORT), 0, 65_000)
  const { err, colors } = terminal
  const stopped = stopSignal()
  let database: LocalPostgres | undefined
  let cluster: DevCluster | undefined
  let closeKeys: (() => void) | undefined
  try {
    database = await databaseFor(flags, terminal)
    const environment = nodeEnvironment(terminal.environment, database.url)
    const host = flags.host ?? terminal.environment.LOCKSTEP_HOST ?? '127.0.0.1'
    err(`Starting ${count} node(s) …\n`)
    const running = await DevCluster.open({ ...{ count, host, port, environment, terminal }, clock: systemClock })
    cluster = running
    err(`${running.status()}${colors.bold(`The cluster is at ${running.front.url}`)}, each request on the next node\n`)
    closeKeys = readKeys(process.stdin, (command) => {
      if (command.do === 'quit') stopped.stop()
      else void running.obey(command)
    })
    if (closeKeys !== undefined) err(`Keys: ${KEYS_HELP}\n`)
    await stopped.promise
  } finally {
    closeKeys?.()
    if (cluster !== undefined) err('Stopping one node after the other …\n')
    await cluster?.close()
    await database?.stop()
    stopped.dispose()
  }
}

/** A database that was named, or one of our own in the data folder. */
async function databaseFor(flags: ClusterDevFlags, terminal: Terminal): Promise<LocalPostgres> {
  const { databaseUrl: fromEnvironment, dataDir = '.lockstep' } = readEnvironment(terminal.environment)
  const url = flags.databaseUrl ?? fromEnvironment
  if (url !== undefined && url !== '') return { url, stop: async () => undefined }
  const folder = clusterFolder(path.resolve(terminal.folder, flags.dataDir ?? dataDir))
  terminal.err(`No database was named: using a local PostgreSQL in ${folder}\n`)
  const { environment, folder: project } = terminal
  return startLocalPostgres({ folder, searchPath: environment.PATH, project, clock: systemClock })
}

function nodeEnvironment(environment: Terminal['environment'], databaseUrl: string): Terminal['environment'] {
  const { [`${environmentNames.databaseUrl}_FILE`]: _file, ...rest } = environment
  return { ...rest, [environmentNames.databaseUrl]: databaseUrl }
}

function wholeNumber(option: string, given: string, least: number, most: number): number {
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
  if (!(value >= least && value <= most))
    throw new InvalidOption({ option: `--${option}`, rule: `a whole number from ${least} to ${most}`, value: given })
  return value
}

/** The first Ctrl-C or SIGTERM stops in good order; a second one ends the process, and nodes that live go on. */
function stopSignal(): { readonly promise: Promise<void>; stop(): void; dispose(): void } {
  let stop = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    stop = resolve
  })
  const onSignal = (): void => stop()
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return {
    promise,
    stop: () => stop(),
    dispose: () => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
