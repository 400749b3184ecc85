import { type Logger, systemClock, systemRandom } from '@lockstep/base'
import { jsonLogger } from '../log/json-logger.ts'
import type { LogLevels } from '../log/log-levels.ts'
import { terminalLogger } from '../log/terminal-logger.ts'
import { resolveNodeOptions } from '../options/node-options.ts'
import { readConfigFile } from '../options/read-config-file.ts'
import { readEnvironment } from '../options/read-environment.ts'
import { startNode } from '../start-node.ts'
import { reportFailure } from './report-failure.ts'
import type { ServerFlags } from './server-flags.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { welcome } from './welcome.ts'

/** Runs a node until it is told to stop. What keeps it from starting ends the process with 1. */
export function runServer(flags: ServerFlags): Promise<void> {
  return serve(flags).catch(reportFailure)
}

async function serve({ config, ...flags }: ServerFlags): Promise<void> {
  const { options: fromFile, programs } = await readConfigFile(process.cwd(), config)
  const options = resolveNodeOptions({ ...fromFile, ...readEnvironment(process.env), ...flags })
  const logger = chooseLogger(options.logLevels)
  const node = await startNode(options, { clock: systemClock, random: systemRandom, logger }, programs)
  process.stdout.write(welcome(node.url, options))
  stopOnSignal(() => node.stop(), options.drainMs, logger)
}

function chooseLogger(levels: LogLevels): Logger {
  if (process.stdout.isTTY) return terminalLogger(levels, systemClock, (line) => process.stdout.write(line))
  return jsonLogger(levels)
}
