import { Command } from 'commander'
import { version } from '../version.ts'
import { type CommandEntry, commandNamed, commandTable, loadCommands } from './command-table.ts'
import { examplesText } from './examples.ts'
import type { Terminal } from './terminal/terminal.ts'

/** The command line as far as `words` need it; without them, the whole. `help`: where words that cannot be understood are answered. */
export async function buildProgram(
  terminal: Terminal,
  words: readonly string[] = [],
  help: Terminal = terminal,
): Promise<Command> {
  const program = new Command('lockstep')
    .description('A clustered workflow engine for TypeScript')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show what a command does')
    .showSuggestionAfterError()
  for (const command of await loadCommands(wanted(words), terminal)) program.addCommand(command)
  for (const command of everyCommand(program)) {
    command.addHelpText('before', examplesText(wordsOf(command)))
    command.exitOverride().configureOutput({ writeOut: help.out, writeErr: help.err })
    if (command !== program) command.copyInheritedSettings(program)
    const run = `run "${['lockstep', wordsOf(command), '--help'].filter(Boolean).join(' ')}" for what there is`
    command.showHelpAfterError(command === program ? `(options stand behind their command; ${run})` : `(${run})`)
  }
  return program
}

/** A word that names nothing, and help, are answered from everything there is. */
function wanted([first]: readonly string[]): readonly CommandEntry[] {
  if (first === '-v' || first === '--version') return []
  const named = first === undefined ? undefined : commandNamed(first)
  return named === undefined ? commandTable : [named]
}

/** `''` of the program itself. */
const wordsOf = (command: Command): string =>
  command.parent === null ? '' : `${wordsOf(command.parent)} ${command.name()}`.trim()

const everyCommand = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(everyCommand)]
