import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const dist = path.join(import.meta.dirname, '..', '..', 'packages', 'studio', 'dist')

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/** Files that a page needs before it shows anything: what is imported at once, and the part of that page. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const add = (name: string): void => {
    const chunk = manifest[name]!
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const each of chunk.imports ?? []) add(each)
  }
  for (const name of names) add(name)
  return files
}

describe('the first load', () => {
  const manifest = JSON.parse(readFileSync(path.join(dist, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>
  const size = (files: ReadonlySet<string>): number =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(dist, file))).length, 0)

  it.each(['home/home-page', 'instances/instances-page'])('of %s is under 350 kB', (page) => {
    expect(size(filesOf(manifest, ['index.html', `features/${page}.tsx`]))).toBeLessThan(350_000)
  })

  it('brings neither layout nor canvas', () => {
    const files = [...filesOf(manifest, ['index.html', 'features/home/home-page.tsx'])]
    expect(files.filter((file) => /elk|graph-view|palette/.test(file))).toEqual([])
  })
})
