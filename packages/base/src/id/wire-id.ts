import { InvalidId } from '../error/errors.ts'
import { isUuid } from './uuid.ts'

/** What an id on the wire begins with: the reader sees at once what it names. The store keeps the bare uuid. */
export const idPrefixes = {
  instance: 'wfi',
  node: 'nod',
  bookmark: 'bkm',
  event: 'evt',
  incident: 'inc',
  deadLetter: 'dlt',
  schedule: 'sch',
  operation: 'bop',
  task: 'tsk',
  humanTask: 'hmt',
  apiKey: 'key',
} as const

export type IdKind = keyof typeof idPrefixes

export function toWireId(kind: IdKind, uuid: string): string {
  return `${idPrefixes[kind]}_${uuid}`
}

export function fromWireId(kind: IdKind, text: string): string {
  const uuid = tryFromWireId(kind, text)
  if (uuid === undefined) throw new InvalidId({ value: text.slice(0, 80), prefix: idPrefixes[kind] })
  return uuid
}

/** `undefined`: not an id of this kind. */
export function tryFromWireId(kind: IdKind, text: string): string | undefined {
  const prefix = `${idPrefixes[kind]}_`
  if (!text.startsWith(prefix)) return undefined
  const uuid = text.slice(prefix.length).toLowerCase()
  return isUuid(uuid) ? uuid : undefined
}
