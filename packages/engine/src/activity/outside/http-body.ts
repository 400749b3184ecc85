import { isJsonObject, type Json } from '@lockstep/base'

const FORM = 'application/x-www-form-urlencoded'

/** What goes over the wire, and the content type it has unless the author gave one. */
export function bodyOf(
  value: Json | undefined,
  given: string | undefined,
): { readonly body: Uint8Array | undefined; readonly contentType: string | undefined } {
  if (value === undefined) return { body: undefined, contentType: undefined }
  if (typeof value === 'string') return { body: Buffer.from(value), contentType: 'text/plain; charset=utf-8' }
  if (given?.toLowerCase().startsWith(FORM) && isJsonObject(value))
    return { body: Buffer.from(formOf(value).toString()), contentType: FORM }
  return { body: Buffer.from(JSON.stringify(value)), contentType: 'application/json' }
}

function formOf(value: Readonly<Record<string, Json>>): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, member] of Object.entries(value)) {
    for (const each of Array.isArray(member) ? member : [member])
      form.append(name, typeof each === 'string' ? each : JSON.stringify(each))
  }
  return form
}
