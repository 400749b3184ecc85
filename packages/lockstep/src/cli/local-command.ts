import { Command } from 'commander'
import { renderTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface LocalFlags {
  readonly json?: boolean
}

/** A command that needs no node. */
export function localCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .allowExcessArguments(false)
}

/** The sentence for people, or the result for programs. */
export function tell({ out }: Terminal, { json }: LocalFlags, text: string, result: object): void {
  out(json === true ? `${JSON.stringify(result, null, 2)}\n` : `${text}\n`)
}

export const countsTable = (rows: readonly { readonly name: string; readonly rows: number }[]): string =>
  renderTable(rows, [
    { title: 'TABLE', text: (row) => row.name },
    { title: 'ROWS', text: (row) => String(row.rows), align: 'right' },
  ])
