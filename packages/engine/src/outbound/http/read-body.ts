import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { HttpResponseTooLarge } from '../errors.ts'

export interface ReadLimits {
  readonly maxBytes: number
  /** As it may be shown in messages. */
  readonly shownUrl: string
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/** The whole body, unpacked. What is counted is what was read, not what a header says: a small body may unpack to a large one. */
export async function readBody(
  response: IncomingMessage,
  method: string,
  { maxBytes, shownUrl }: ReadLimits,
): Promise<Uint8Array> {
  const status = response.statusCode ?? 0
  if (method === 'HEAD' || status === 204 || status === 304) {
    response.resume()
    return new Uint8Array(0)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of unpacked(response)) {
    size += (chunk as Uint8Array).byteLength
    if (size > maxBytes) {
      response.destroy()
      throw new HttpResponseTooLarge({ url: shownUrl, limit: maxBytes })
    }
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks, size)
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (!Object.hasOwn(decoders, encoding)) return response
  const decoder = decoders[encoding as keyof typeof decoders]()
  response.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => response.destroy())
  return response.pipe(decoder)
}
