import type { Json } from '@lockstep/base'
import type { HttpResponse } from '../../outbound/http/http-exchange.ts'

export type ParsedBody =
  | { readonly body: Json; readonly encoding: 'json' | 'text' | 'base64' | 'none' }
  | { readonly reason: string }

const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)$/
const TEXT_TYPE = /^(text\/.+|application\/(xml|[\w.+-]+\+xml|x-www-form-urlencoded|javascript|yaml|x-yaml|x-ndjson))$/

/** By content type; without one, text where the bytes are some. */
export function parseResponse({ headers, body }: HttpResponse): ParsedBody {
  if (body.byteLength === 0) return { body: null, encoding: 'none' }
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (JSON_TYPE.test(type)) return parseJson(body)
  const charset = parameters
    .find((each) => each.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  const text = TEXT_TYPE.test(type) || type === '' ? decode(body, charset, type === '') : undefined
  return text === undefined
    ? { body: Buffer.from(body).toString('base64'), encoding: 'base64' }
    : { body: text, encoding: 'text' }
}

function parseJson(body: Uint8Array): ParsedBody {
  try {
    return {
      body: JSON.parse(
        Buffer.from(body)
          .toString('utf8')
          .replace(/^\ufeff/, ''),
      ) as Json,
      encoding: 'json',
    }
  } catch {
    return { reason: 'its content type is JSON, but it is none' }
  }
}

function decode(body: Uint8Array, charset: string | undefined, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(charset ?? 'utf-8', { fatal }).decode(body)
  } catch {
    return fatal ? undefined : new TextDecoder().decode(body)
  }
}
