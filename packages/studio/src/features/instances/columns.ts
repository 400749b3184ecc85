import type { Instance } from '../../api/wire.ts'

/** Columns that may stand beside the usual ones. */
export const namedColumns = {
  version: 'Version',
  createdAt: 'Made',
  finishedAt: 'Ended',
  parentId: 'Parent',
  nodeId: 'Node',
  tenant: 'Tenant',
} as const

export type NamedColumn = keyof typeof namedColumns

const FIELD = /^(input|output|variables)(\.[\w-]+)+$/

export const isColumn = (text: string): boolean => text in namedColumns || FIELD.test(text)

/** As they stand in the address: `finishedAt,input.customerId`. What means nothing is left out. */
export const columnsOf = (text: string | undefined): readonly string[] =>
  (text ?? '').split(',').filter((each) => each !== '' && isColumn(each))

export const columnLabel = (column: string): string => namedColumns[column as NamedColumn] ?? column

/** What a row has in a column: a member of its input, output or variables is found along the dots. */
export function columnValue(row: Instance, column: string): string {
  let value: unknown = row
  for (const name of column.split('.')) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
