import { isObject, type Json } from '../designer/model/json.ts'

/** Of what is dragged from the data beside the fields. */
export const REFERENCE = 'application/x-lockstep-reference'

/** A value that speaks of something else from now on: a text goes on as a template around it. */
export function withReference(value: Json | undefined, path: string): Json {
  if (isObject(value) && typeof value.$expr === 'string')
    return { $expr: value.$expr.trim() === '' ? path : `${value.$expr} ${path}` }
  if (typeof value !== 'string' || value === '') return { $expr: path }
  const text = value.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
  return { $expr: `\`${text}\${${path}}\`` }
}
