import { errorMessage, type Json } from '@lockstep/base'

export type ReceivedBody = { readonly value: Json } | { readonly unreadable: string }

const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)$/

/** By content type. Without one that says it: JSON where the bytes are some, else text. */
export function receivedBody(body: unknown, contentType = '', contentEncoding = ''): ReceivedBody {
  if (contentEncoding !== '' && !/^(identity|utf-?8)$/i.test(contentEncoding))
    return { unreadable: `its content encoding "${contentEncoding}" is not understood` }
  if (!(body instanceof Uint8Array)) return { value: (body ?? null) as Json }
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  const text = decode(body)
  if (text === undefined) return { unreadable: 'it is not UTF-8' }
  if (JSON_TYPE.test(type)) return parse(text)
  if (type.startsWith('text/')) return { value: text }
  const parsed = parse(text)
  return 'value' in parsed ? parsed : { value: text }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): ReceivedBody {
  try {
    return { value: JSON.parse(text) as Json }
  } catch (error) {
    return { unreadable: `it is not JSON (${errorMessage(error)})` }
  }
}
