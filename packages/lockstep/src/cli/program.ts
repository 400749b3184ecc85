import { Command } from 'commander'
import { version } from '../version.ts'
import { batchesCommand } from './batches.ts'
import { breakersCommand } from './breakers.ts'
import { definitionsCommand } from './definitions.ts'
import { doctorCommand } from './doctor.ts'
import { eventsCommand } from './events.ts'
import { flowCommand } from './flow.ts'
import { incidentsCommand } from './incidents.ts'
import { initCommand } from './init.ts'
import { instancesCommand } from './instances.ts'
import { limitsCommand } from './limits.ts'
import { locksCommand } from './locks.ts'
import { nodesCommand } from './nodes.ts'
import { retentionCommand } from './retention.ts'
import { schedulesCommand } from './schedules.ts'
import { serverCommand } from './server.ts'
import type { Terminal } from './terminal/terminal.ts'
import { validateCommand } from './validate.ts'
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
    validateCommand(terminal),
    definitionsCommand(terminal).alias('definition'),
    instancesCommand(terminal),
    schedulesCommand(terminal).alias('schedule'),
    eventsCommand(terminal).alias('event'),
    incidentsCommand(terminal).alias('incident'),
    batchesCommand(terminal).alias('batch'),
    flowCommand(terminal),
    limitsCommand(terminal).alias('limit'),
    breakersCommand(terminal).alias('breaker'),
    locksCommand(terminal).alias('lock'),
    nodesCommand(terminal).alias('node'),
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
