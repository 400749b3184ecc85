import path from 'node:path'
import { type Logger, systemClock, systemRandom } from '@lockstep/base'
import { DevLink } from '../cluster-dev/dev-link.ts'
import { jsonLogger } from '../log/json-logger.ts'
import type { LogLevels } from '../log/log-levels.ts'
import { terminalLogger } from '../log/terminal-logger.ts'
import { resolveNodeOptions } from '../options/node-options.ts'
import { optionOrigins } from '../options/option-origins.ts'
import type { RawOptions } from '../options/raw-options.ts'
import { readConfigFile } from '../options/read-config-file.ts'
import { readEnvironment } from '../options/read-environment.ts'
import { startNode } from '../start-node.ts'
import { DATABASE_WAIT_MS } from '../wait-for-database.ts'
import { DEV_KEYS_HELP, readDevKeys } from './dev-keys.ts'
import { parentChannel } from './parent-channel.ts'
import { reportFailure } from './report-failure.ts'
import type { ServerFlags } from './server-flags.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { openInBrowser } from './terminal/open-in-browser.ts'
import { welcome } from './welcome.ts'

/** Runs a node until it is told to stop. What keeps it from starting ends the process with 1. `defaults` give way to whatever is set anywhere. */
export function runServer(flags: ServerFlags, defaults: RawOptions = {}, isDev = false): Promise<void> {
  return serve(flags, defaults, isDev).catch(reportFailure)
}

async function serve({ config, ...flags }: ServerFlags, defaults: RawOptions, isDev: boolean): Promise<void> {
  const { options: fromFile, programs, file } = await readConfigFile(process.cwd(), config)
  const origins = optionOrigins({
    ...{ flags, environment: process.env, defaults },
    file: { name: path.basename(file ?? 'file'), options: fromFile },
  })
  const options = resolveNodeOptions({ ...defaults, ...fromFile, ...readEnvironment(process.env), ...flags, origins })
  const logger = chooseLogger(options.logLevels)
  const channel = parentChannel()
  const { nodeName } = options
  const control = channel && nodeName !== undefined ? new DevLink(nodeName, channel, systemClock) : undefined
  const stopping = stopOnSignal(options.drainMs, logger)
  const edge = { clock: systemClock, random: systemRandom, logger }
  const starting = startNode(options, edge, programs, {
    isDev,
    control,
    signal: stopping.signal,
    // Who tries things out sits before it, and wants to hear at once.
    databaseWaitMs: isDev || control !== undefined ? 0 : DATABASE_WAIT_MS,
  })
  const node = await stopping.unlessAsked(starting)
  const keys = isDev && process.stdout.isTTY === true && process.stdin.isTTY === true
  const isTerminal = process.stdout.isTTY === true
  if (!isTerminal) logger.info('listening', { url: node.url, roles: options.roles.join('+') })
  // In a pipe the lines of the log are all that stands on standard output: whoever reads them reads JSON.
  const box = welcome(node.url, options, keys ? DEV_KEYS_HELP : undefined)
  ;(isTerminal ? process.stdout : process.stderr).write(box)
  stopping.begin(() => node.stop())
  if (!keys) return
  readDevKeys(process.stdin, {
    open: () => void openInBrowser(`${node.url}/`),
    quit: () => void process.kill(process.pid, 'SIGINT'),
  })
}

function chooseLogger(levels: LogLevels): Logger {
  if (process.stdout.isTTY) return terminalLogger(levels, systemClock, (line) => process.stdout.write(line))
  return jsonLogger(levels)
}
