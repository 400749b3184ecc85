/** A provider that is exported runs every contract. What it leaves out it names, with a reason, where it runs them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** By the function that makes it: what its suites are called, one for each store that it runs on. */
const providers: Readonly<Record<string, readonly string[]>> = {
  memoryProvider: ['memory'],
  redisProvider: ['redis'],
  postgresCoordination: ['PostgreSQL', 'PGlite'],
}
const stores = Object.values(providers).flat()

/** Titles of all contracts in packages/testing, as they stand in the sources. */
function contractTitles(): string[] {
  const folder = join(root, 'packages/testing/src/contracts/coordination')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  return sources.flatMap((text) =>
    [...text.matchAll(/`\$\{(?:provider|checker)\}: ([^`]+ contract)`/g)].map((match) => match[1]!),
  )
}

/** Functions that make a provider, wherever they are in the packages. */
function providerFactories(): string[] {
  const made = /export (?:async )?function (\w+)\([^)]*\): (?:Promise<)?CoordinationProvider\b/g
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name, 'src'))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(made)].map((match) => match[1]!))
}

/** The full names of the contract tests that would run. */
async function collectedTests(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-matrix-'))
  try {
    const list = join(folder, 'tests.json')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'list', '--config', 'tests/coordination/collect.config.mjs', '--root', '.', `--json=${list}`]
    const env = { ...process.env, VITEST: undefined, VITEST_POOL_ID: undefined, VITEST_WORKER_ID: undefined }
    await promisify(execFile)(process.execPath, args, { cwd: root, env, timeout: 220_000 })
    return (JSON.parse(readFileSync(list, 'utf8')) as { name: string }[]).map((test) => test.name)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the contract matrix', () => {
  const titles = contractTitles()
  let tests: string[]
  beforeAll(async () => {
    tests = await collectedTests()
  })

  it('knows every contract and every provider there is', () => {
    expect(new Set(titles).size).toBe(titles.length)
    expect(titles.length).toBeGreaterThanOrEqual(14)
    expect(providerFactories().sort()).toEqual(Object.keys(providers).sort())
  })

  it.each(stores)('%s runs every contract', (store) => {
    const runs = (title: string): boolean =>
      tests.some((name) => {
        const suite = name.split(' > ').find((part) => part.endsWith(`: ${title}`))
        return suite !== undefined && (suite === `${store}: ${title}` || isVariant(suite, store))
      })
    expect(titles.filter((title) => !runs(title))).toEqual([])
  })

  it.each(stores)('%s is checked for what it leaves out', (store) => {
    const rule = 'leaves out only examples that exist, and says why'
    const suites = titles.filter((title) => title !== 'fence checker contract')
    const unchecked = suites.filter((title) => !tests.some((name) => name.endsWith(`${store}: ${title} > ${rule}`)))
    expect(unchecked).toEqual([])
  })
})

/** A store may have several checkers of fences: `PostgreSQL guard row`. */
function isVariant(suite: string, store: string): boolean {
  return suite.endsWith(': fence checker contract') && new RegExp(`^${store}\\b`).test(suite)
}
