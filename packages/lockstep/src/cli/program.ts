import { Command } from 'commander'
import { version } from '../version.ts'
import { auditCommand } from './audit.ts'
import { batchesCommand } from './batches.ts'
import { breakersCommand } from './breakers.ts'
import { cachesCommand } from './caches.ts'
import { clusterCommand } from './cluster.ts'
import { definitionsCommand } from './definitions.ts'
import { doctorCommand } from './doctor.ts'
import { eventsCommand } from './events.ts'
import { flowCommand } from './flow.ts'
import { incidentsCommand } from './incidents.ts'
import { initCommand } from './init.ts'
import { instancesCommand } from './instances.ts'
import { keysCommand } from './keys.ts'
import { limitsCommand } from './limits.ts'
import { locksCommand } from './locks.ts'
import { nodesCommand } from './nodes.ts'
import { retentionCommand } from './retention.ts'
import { samplesCommand } from './samples.ts'
import { schedulesCommand } from './schedules.ts'
import { devCommand, serverCommand } from './server.ts'
import type { Terminal } from './terminal/terminal.ts'
import { usersCommand } from './users.ts'
import { validateCommand } from './validate.ts'
import { verifyClusterCommand } from './verify-cluster.ts'
import { whyCommand } from './why.ts'

const EXAMPLES = `
Examples:
  lockstep init hello && cd hello && lockstep server
  lockstep definitions push workflows/hello.yaml --publish
  lockstep instances start hello --input '{"name":"you"}' --wait
  lockstep instances list --filter 'status=faulted createdAt>=-1h'
  lockstep why wfi_…
`

/** The whole command line. */
export function buildProgram(terminal: Terminal): Command {
  const program = new Command('lockstep')
    .description('A clustered workflow engine for TypeScript')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show what a command does')
    .showHelpAfterError('(run "lockstep --help" for what there is)')
    .showSuggestionAfterError()
    .addHelpText('after', EXAMPLES)
  const commands = [
    initCommand(terminal),
    serverCommand(),
    devCommand(),
    samplesCommand(terminal),
    validateCommand(terminal),
    definitionsCommand(terminal).alias('definition'),
    instancesCommand(terminal),
    schedulesCommand(terminal).alias('schedule'),
    eventsCommand(terminal).alias('event'),
    incidentsCommand(terminal).alias('incident'),
    batchesCommand(terminal).alias('batch'),
    flowCommand(terminal),
    limitsCommand(terminal).alias('limit'),
    cachesCommand(terminal).alias('cache'),
    breakersCommand(terminal).alias('breaker'),
    locksCommand(terminal).alias('lock'),
    nodesCommand(terminal).alias('node'),
    clusterCommand(terminal),
    keysCommand(terminal).alias('key'),
    usersCommand(terminal).alias('user'),
    auditCommand(terminal),
    verifyClusterCommand(terminal),
    whyCommand(terminal),
    doctorCommand(terminal),
    retentionCommand(terminal),
  ]
  for (const command of commands) program.addCommand(command)
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    if (command !== program) command.copyInheritedSettings(program)
  }
  return program
}

const everyCommand = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(everyCommand)]
