import { stringify } from 'yaml'
import { UsageError } from '../exit-codes.ts'
import { type Column, type Fields, renderFields, renderTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Body } from './api-client.ts'

export const OUTPUTS = ['table', 'json', 'jsonl', 'yaml', 'id'] as const
export type Output = (typeof OUTPUTS)[number]

/** What was asked for; else a table for people and JSON for programs. */
export function outputOf(given: string | undefined, { isTerminal }: Pick<Terminal, 'isTerminal'>): Output {
  if (given === undefined || given === '') return isTerminal ? 'table' : 'json'
  const found = OUTPUTS.find((each) => each === given)
  if (found === undefined) throw new UsageError({ text: `"${given}" is no form of output: use ${OUTPUTS.join(', ')}` })
  return found
}

/** Prints answers in one form. */
export class Printer {
  readonly #terminal: Terminal
  readonly #output: Output

  constructor(terminal: Terminal, output: Output) {
    this.#terminal = terminal
    this.#output = output
  }

  /** `empty`: what to say instead of a table without rows. */
  table(rows: readonly Body[], columns: readonly Column<Body>[], empty: string): void {
    const { out, err, colors, isTerminal, columns: most } = this.#terminal
    if (this.#output === 'jsonl' || this.#output === 'id') for (const row of rows) this.#one(row)
    else if (this.#output !== 'table') this.#one(rows)
    else if (rows.length === 0) err(`${empty}\n`)
    else out(renderTable(rows, columns, { width: isTerminal ? most : 0, paintTitle: colors.bold }))
  }

  fields(body: Body, fields: Fields): void {
    if (this.#output === 'table') this.#terminal.out(renderFields(fields, this.#terminal.colors.bold))
    else this.#one(body)
  }

  done(text: string, body: Body): void {
    if (this.#output === 'table') this.#terminal.out(`${text}\n`)
    else this.#one(body ?? {})
  }

  #one(body: Body): void {
    const { out } = this.#terminal
    switch (this.#output) {
      case 'id':
        return out(`${idOf(body)}\n`)
      case 'jsonl':
        return out(`${JSON.stringify(body)}\n`)
      case 'yaml':
        return out(stringify(body))
      default:
        return out(`${JSON.stringify(body, null, 2)}\n`)
    }
  }
}

/** Of what an answer is about: of a resume, or of why an instance waits, the instance. */
const idOf = (body: Body): string | number =>
  body.id ??
  body.instance?.id ??
  body.instanceId ??
  body.key ??
  body.fingerprint ??
  body.version ??
  body.name ??
  body.seq ??
  ''
