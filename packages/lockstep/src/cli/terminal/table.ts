import { shown } from '../../log/shown.ts'
import { cutTo, widthOf } from './display-width.ts'

/** One column of a table: its title, and the text of a row in it. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly paint?: (text: string, row: Row) => string
  readonly align?: 'left' | 'right'
  /** May be cut when the table is wider than the terminal. */
  readonly elastic?: true
}

const GAP = '  '
const LEAST = 8

/** Lines of a table, without colours unless a column paints. `width` 0: as wide as it needs to be. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = 0, paintTitle = (text: string) => text }: { width?: number; paintTitle?: (text: string) => string } = {},
): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.text(row))))
  const widths = columns.map((column, at) =>
    Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[at]!))),
  )
  if (width > 0) shrink(widths, columns, width)
  const line = (texts: readonly string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const cut = fit(text, widths[at]!)
        const blank = ' '.repeat(Math.max(0, widths[at]! - widthOf(cut)))
        const painted = paint(cut, at)
        if (columns[at]!.align === 'right') return blank + painted
        return at === texts.length - 1 ? painted : painted + blank
      })
      .join(GAP)
      .trimEnd()
  const title = line(
    columns.map((column) => column.title),
    paintTitle,
  )
  const body = cells.map((texts, index) => line(texts, (text, at) => columns[at]!.paint?.(text, rows[index]!) ?? text))
  return `${[title, ...body].join('\n')}\n`
}

/** Takes what is too much from the widest elastic column, again and again. */
function shrink<Row>(widths: number[], columns: readonly Column<Row>[], width: number): void {
  const excess = (): number => widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width
  while (excess() > 0) {
    const elastic = widths.flatMap((each, at) => (columns[at]!.elastic && each > LEAST ? [at] : []))
    if (elastic.length === 0) return
    const widest = elastic.reduce((a, b) => (widths[b]! > widths[a]! ? b : a))
    widths[widest] = Math.max(LEAST, widths[widest]! - excess())
  }
}

const fit = (text: string, width: number): string => (widthOf(text) <= width ? text : `${cutTo(text, width - 1)}…`)

/** Control characters, escapes of terminals among them, are shown and not obeyed. */
export const oneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** A value may have a colour; one that is absent or empty has no line. */
export type Fields = readonly (readonly [name: string, value: string | undefined, paint?: (text: string) => string])[]

/** `name  value` lines, for one thing. Values hold what others wrote: further lines of one stand under it, controls are shown and not obeyed. */
export function renderFields(fields: Fields, paintName: (text: string) => string = (text) => text): string {
  const told = fields.flatMap(([name, value, paint]) => (value ? [{ name, value, paint: paint ?? String }] : []))
  const width = Math.max(0, ...told.map(({ name }) => name.length))
  const under = `\n${' '.repeat(width + GAP.length)}`
  return told
    .map(({ name, value, paint }) => {
      const lines = paint(shown(value).replaceAll('\n    ', under))
      return `${paintName(name.padEnd(width))}${GAP}${lines}\n`
    })
    .join('')
}
