/** The tar format as a stream, as far as a data folder needs it: any tar can read what this writes. */
import { createReadStream } from 'node:fs'

const BLOCK = 512

export interface TarFile {
  readonly path: string
  readonly size: number
  /** The content: a file of the disk, or bytes. */
  readonly content: string | Buffer
}

/** Told of each piece of content on its way. */
export type OnContent = (path: string, chunk: Buffer) => void

export async function* packed(files: Iterable<TarFile>, onContent: OnContent): AsyncGenerator<Buffer> {
  for (const { path, size, content } of files) {
    yield header(path, size)
    let written = 0
    const chunks = typeof content === 'string' ? createReadStream(content) : [content]
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      written += chunk.length
      onContent(path, chunk)
      yield chunk
    }
    if (written !== size) throw new Error(`${path} changed while it was read`)
    yield Buffer.alloc(padding(size))
  }
}

export const ending = (): Buffer => Buffer.alloc(2 * BLOCK)

export interface TarReader {
  begin(path: string, size: number): void
  content(chunk: Buffer): void
  end(): void
}

/** Cuts a stream into files. Answers whether it came to its end. Reads on behind that: a stream that is left before it has ended counts as aborted. */
export async function unpacked(stream: AsyncIterable<Buffer>, reader: TarReader): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0)
  let left = -1
  let skip = 0
  let isOver = false
  for await (const chunk of stream) {
    if (isOver) continue
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      if (left > 0) {
        const part = rest.subarray(0, left)
        if (part.length === 0) break
        reader.content(part)
        left -= part.length
        rest = rest.subarray(part.length)
        continue
      }
      if (left === 0) {
        reader.end()
        left = -1
      }
      if (skip > 0) {
        const part = Math.min(skip, rest.length)
        skip -= part
        rest = rest.subarray(part)
        if (skip > 0) break
      }
      if (rest.length < BLOCK) break
      if (rest[0] === 0) {
        isOver = true
        break
      }
      const size = Number.parseInt(text(rest, 124, 12), 8)
      if (!Number.isSafeInteger(size) || size < 0) return false
      reader.begin(text(rest, 0, 100), size)
      left = size
      skip = padding(size)
      rest = rest.subarray(BLOCK)
    }
  }
  return isOver
}

function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`path too long for the archive: ${path}`)
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK
