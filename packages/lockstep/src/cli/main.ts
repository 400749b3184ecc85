import { runCli } from './run-cli.ts'
import { systemTerminal } from './terminal/terminal.ts'

process.exitCode = await runCli(process.argv.slice(2), systemTerminal())
