import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { codeBlocks } from './code-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['docs/how-to', 'docs/tutorials', 'docs/explanation']
const pages = folders.flatMap((folder) => readdirSync(path.join(root, folder)).map((file) => `${folder}/${file}`))

/** The graphs that pages show as JSON: whole documents, or one activity of one. */
const graphs = pages.flatMap((page) =>
  codeBlocks(page)
    .filter(({ language }) => language === 'json')
    .map(({ code }) => JSON.parse(code) as JsonObject)
    .flatMap((block, n) => {
      if (Array.isArray(block.activities) && block.id !== undefined) return [{ page, n, document: block }]
      return typeof block.type === 'string' ? [{ page, n, document: { id: 'shown', activities: [block] } }] : []
    }),
)

describe('graphs that the pages show as JSON', () => {
  let t: TestEngine
  beforeAll(async () => {
    t = await openTestEngine()
  })
  afterAll(() => t?.[Symbol.asyncDispose]())

  it('are found', () => expect(graphs.length).toBeGreaterThan(4))

  const hasNoProblems = ({ document }: { readonly document: JsonObject }): void =>
    expect(t.engine.definitions.problems(document as never)).toEqual([])
  it.each(graphs)('$page has no problems in its block $n', hasNoProblems)
})

/** The words behind `#` that lead to a heading, as Git hosts make them. */
function anchorsIn(text: string): ReadonlySet<string> {
  const bare = text.replace(/^```[\s\S]*?^```$/gm, '')
  const headings = [...bare.matchAll(/^#+ (.*)$/gm)].map(([, words]) =>
    words!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  )
  return new Set(
    headings.map((words) =>
      words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

describe('pages', () => {
  it('link only to files that are there', () => {
    const all = ['docs', 'examples'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    )
    const others = readdirSync(root).concat(
      readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/README.md`),
    )
    const broken = [...all, ...others]
      .filter((file) => file.endsWith('.md') && existsSync(path.join(root, file)))
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8').replace(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '')
        const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1]!)
        return targets
          .filter((to) => !/^[a-z]+:/.test(to) && !existsSync(path.join(root, path.dirname(file), to)))
          .map((to) => `${file}: ${to}`)
      })
    expect(broken).toEqual([])
  })

  it('link only to headings that are there', () => {
    const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.join('docs', file))
    const links = [...pages, 'README.md', 'deploy/README.md'].flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8').replace(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '')
      return [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, to, anchor]) => ({
        ...{ file, anchor: anchor! },
        page: to === '' ? file : path.join(path.dirname(file), to!),
      }))
    })
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(
      ({ page, anchor }) => !anchorsIn(readFileSync(path.join(root, page), 'utf8')).has(anchor),
    )
    expect(broken).toEqual([])
  })
})
