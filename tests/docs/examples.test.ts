import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { codeBlocks, noteOf } from './code-blocks.ts'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = readdirSync(path.join(root, 'examples')).filter((name) => name !== 'README.md')
const programs = examples.filter((name) => existsSync(path.join(root, 'examples', name, 'run.mjs')))

const names = (text: string, example: string): boolean =>
  text.includes(`'${example}'`) || text.includes(`examples/${example}/run.mjs`)

/** As a newcomer runs it: nothing set but what is said. Its exit code is part of what it says. */
async function run(name: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { DATABASE_URL: _, ...rest } = process.env
  const options = { cwd: root, env: { ...rest, ...env }, timeout: 110_000 }
  const { stdout } = await exec(process.execPath, [path.join('examples', name, 'run.mjs')], options)
  return stdout
}

describe('the examples', () => {
  it('are all found by the page that lists them', () => {
    const page = readFileSync(path.join(root, 'examples', 'README.md'), 'utf8')
    const listed = [...page.matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map((match) => match[1]!)
    expect(listed.sort()).toEqual(examples.sort())
  })

  it('have each a page that says how to run it and what its files are', () => {
    for (const name of examples) {
      const page = readFileSync(path.join(root, 'examples', name, 'README.md'), 'utf8')
      if (!programs.includes(name)) continue
      expect(page).toContain(`npm run build\nnode examples/${name}/run.mjs\n`)
      const files = readdirSync(path.join(root, 'examples', name)).filter((file) => file !== 'README.md')
      if (files.length > 1) expect(files.filter((file) => !page.includes(`\`${file}\``))).toEqual([])
    }
  })

  it('are all run by a test', () => {
    const tests = readdirSync(path.join(root, 'tests'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.endsWith('docs/examples.test.ts'))
      .map((file) => readFileSync(path.join(root, 'tests', file), 'utf8'))
    const own = shown.map(({ name }) => name)
    const run = programs.filter((name) => own.includes(name) || tests.some((text) => names(text, name)))
    expect(run).toEqual(programs)
  })

  /** Those whose page shows what they print. */
  const shown = programs.flatMap((name) => {
    const block = codeBlocks(`examples/${name}/README.md`).find((each) => noteOf(each, 'output') === 'run.mjs')
    return block === undefined ? [] : [{ name, printed: block.code }]
  })

  it.each(shown)('$name prints what its page shows', async ({ name, printed }) => {
    expect(await run(name)).toBe(printed)
  })

  it('nightly-report prints the same on PostgreSQL', async () => {
    const { name, printed } = shown.find((each) => each.name === 'nightly-report')!
    const database = await cloneDatabase(inject('postgres'))
    try {
      expect(await run(name, { DATABASE_URL: database.url })).toBe(printed)
    } finally {
      await database.drop()
    }
  })
})
