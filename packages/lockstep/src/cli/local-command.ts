import { Command } from 'commander'
import { type Output, outputOf, Printer } from './remote/output.ts'
import { renderTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface LocalFlags {
  readonly json?: boolean
}

/** A command that needs no node. */
export function localCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON, as everywhere but at a terminal [LOCKSTEP_OUTPUT]')
    .allowExcessArguments(false)
}

export const formOf = (terminal: Terminal, { json }: LocalFlags): Output =>
  outputOf(json === true ? 'json' : terminal.environment.LOCKSTEP_OUTPUT, terminal)

/** The sentence for people, or the result for programs. */
export function tell(terminal: Terminal, flags: LocalFlags, text: string, result: object): void {
  new Printer(terminal, formOf(terminal, flags)).done(text, result)
}

export const countsTable = (rows: readonly { readonly name: string; readonly rows: number }[]): string =>
  renderTable(rows, [
    { title: 'TABLE', text: (row) => row.name },
    { title: 'ROWS', text: (row) => String(row.rows), align: 'right' },
  ])
