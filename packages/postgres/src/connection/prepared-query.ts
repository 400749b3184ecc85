/**
 * A prepared statement on its way through the driver, which lets classes of one's own in where they are kinds of its `Query`. The driver's
 * copies what it is given, writes four messages, and asks for the columns of every answer: costs of each statement, however little it does, and
 * a commit of a few facts pays them as one of hundreds does.
 */
import { Query } from 'pg'
import { runMessage, type WireValue } from './bind-message.ts'
import type { Reply } from './request.ts'

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** How to read a row: a statement that is prepared has the same columns as long as its session lives, or is refused. */
export interface Columns {
  readonly names: readonly string[]
  readonly decoders: readonly ((text: string) => unknown)[]
  /** One of its rows, empty. */
  readonly blank: Readonly<Record<string, null>>
}

/** What a session knows of its prepared statements. */
export interface Prepared {
  readonly columns: Map<string, Columns>
  decoderOf(type: number): (text: string) => unknown
}

interface DriverConnection {
  readonly stream: { readonly writable: boolean; write(data: Uint8Array): unknown; cork(): void; uncork(): void }
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  readonly submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { readonly name: string; readonly text: string }): void
}

/** The parts of the driver's class that its client uses, as methods that can be replaced. */
const DriverQuery = Query as unknown as new (text: string) => { name: string; text: string; callback: unknown }

export class PreparedQuery extends DriverQuery {
  readonly #values: readonly WireValue[]
  readonly #prepared: Prepared
  readonly #settle: (error: Error | null, reply: Reply) => void
  readonly #rows: unknown[] = []
  #columns: Columns | undefined
  #done = ''
  #failure: Error | undefined

  constructor(
    { name, text, values }: { readonly name: string; readonly text: string; readonly values: readonly WireValue[] },
    prepared: Prepared,
    settle: (error: Error | null, reply: Reply) => void,
  ) {
    super('')
    this.name = name
    this.text = text
    this.callback = settle // the driver asks whether there is one
    this.#values = values
    this.#prepared = prepared
    this.#settle = settle
  }

  /** Answers what is wrong with it, before anything is written. */
  submit(connection: DriverConnection): Error | null {
    const { name, text } = this
    const known = connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]
    if (known !== undefined && known !== text) return new Error(`"${name}" is prepared as another statement`)
    this.#columns = this.#prepared.columns.get(name)
    const message = runMessage(name, this.#values, this.#columns === undefined)
    const { stream } = connection
    if (known !== undefined) {
      if (stream.writable) stream.write(message)
      return null
    }
    stream.cork()
    connection.parse({ name, text })
    connection.submittedNamedStatements[name] = text
    if (stream.writable) stream.write(message)
    stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const names = fields.map(({ name }) => name)
    this.#columns = {
      names,
      decoders: fields.map(({ dataTypeID }) => this.#prepared.decoderOf(dataTypeID)),
      blank: Object.fromEntries(names.map((name) => [name, null])),
    }
    this.#prepared.columns.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure !== undefined) return
    try {
      this.#rows.push(rowOf(this.#columns!, fields))
    } catch (error) {
      this.#failure = error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#done = text
    if (this.#columns === undefined) this.#prepared.columns.set(this.name, NO_COLUMNS)
  }

  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.#settle(this.#failure ?? error, NOTHING)
  }

  handleReadyForQuery(): void {
    this.#settle(this.#failure ?? null, told(this.#done, this.#rows))
  }
}

const NO_COLUMNS: Columns = { names: [], decoders: [], blank: {} }
const NOTHING: Reply = { rows: [], touched: 0, command: '' }

function rowOf({ names, decoders, blank }: Columns, values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = { ...blank }
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!
    if (value !== null) row[names[index]!] = decoders[index]!(value)
  }
  return row
}

/** What the server says it did: `SELECT 3`, `INSERT 0 3`, `COMMIT`. */
function told(done: string, rows: unknown[]): Reply {
  const end = done.lastIndexOf(' ')
  if (end === -1) return { rows, touched: 0, command: done }
  const touched = Number(done.slice(end + 1))
  return { rows, touched: Number.isNaN(touched) ? 0 : touched, command: done.slice(0, done.indexOf(' ')) }
}
