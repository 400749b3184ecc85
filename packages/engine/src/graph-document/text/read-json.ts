import { errorMessage, type Json } from '@lockstep/base'
import { jsonFault } from './json-fault.ts'
import { placeAt } from './locate.ts'
import { type TextEntry, textProblem } from './text-entry.ts'

/** One document, or a list of them. */
export function readJson(text: string): readonly TextEntry[] {
  try {
    const value = JSON.parse(text) as Json
    return (Array.isArray(value) ? value : [value]).map((document: Json) => ({ document }))
  } catch (error) {
    const place = placeAt(text, jsonFault(text) ?? 0)
    return [{ problem: textProblem('UNREADABLE_TEXT', `This is not JSON: ${errorMessage(error)}`, '', place) }]
  }
}
