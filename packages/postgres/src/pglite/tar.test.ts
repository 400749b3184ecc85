import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packTar, unpackTar } from './tar.ts'

it('a packed folder unpacks to the same files, empty folders included', () => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-tar-'))
  try {
    const from = join(root, 'from')
    mkdirSync(join(from, 'base', 'empty'), { recursive: true })
    const contents: Record<string, Buffer> = {
      PG_VERSION: Buffer.from('18\n'),
      'base/none': Buffer.alloc(0),
      'base/block': Buffer.alloc(512, 7),
      'base/odd': Buffer.from(Array.from({ length: 1_025 }, (_, index) => index % 256)),
    }
    for (const [path, content] of Object.entries(contents)) writeFileSync(join(from, path), content)
    const to = join(root, 'to')
    unpackTar(packTar(from), to)
    expect(readdirSync(to, { recursive: true }).sort()).toEqual(readdirSync(from, { recursive: true }).sort())
    for (const [path, content] of Object.entries(contents)) expect(readFileSync(join(to, path))).toEqual(content)
    expect(packTar(to)).toEqual(packTar(from))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
