import { Command } from 'commander'
import { version } from '../version.ts'
import { serverCommand } from './server.ts'

/** The whole command line. Unknown words and flags end with one sentence and exit code 1. */
export function buildProgram(): Command {
  return new Command('lockstep')
    .description('A clustered workflow engine for TypeScript')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show what a command does')
    .showHelpAfterError('(run "lockstep --help" for what there is)')
    .addCommand(serverCommand())
}
