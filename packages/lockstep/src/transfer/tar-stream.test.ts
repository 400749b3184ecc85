import { describe, expect, it } from 'vitest'
import { ending, packed, unpacked } from './tar-stream.ts'

/** A piece at a time, and whether it was read to its end. */
function pieces(chunks: readonly Buffer[]) {
  const site = { isRead: false, stream }
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks
    site.isRead = true
  }
  return site
}

async function archive(): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  const files = [{ path: 'pgdata/one', size: 3, content: Buffer.from('one') }]
  for await (const chunk of packed(files, () => undefined)) chunks.push(chunk)
  return chunks
}

const unpack = async (chunks: readonly Buffer[]) => {
  const found: string[] = []
  const site = pieces(chunks)
  const complete = await unpacked(site.stream(), {
    begin: (path) => void found.push(path),
    content: (chunk) => void found.push(chunk.toString()),
    end: () => void found.push('end'),
  })
  return { complete, found, isRead: site.isRead }
}

describe('an archive', () => {
  it('is read to the end of its stream, also where what ends it comes in two pieces', async () => {
    const end = ending()
    const chunks = [...(await archive()), end.subarray(0, 700), end.subarray(700)]
    expect(await unpack(chunks)).toEqual({ complete: true, found: ['pgdata/one', 'one', 'end'], isRead: true })
  })

  it('that was cut off is not complete', async () => {
    expect(await unpack(await archive())).toMatchObject({ complete: false })
  })
})
