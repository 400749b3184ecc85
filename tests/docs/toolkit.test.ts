import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { codeBlocks, noteOf } from './code-blocks.ts'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')

const pages = readdirSync(path.join(root, 'docs', 'how-to')).filter((file) => file !== 'README.md')
const programs = pages.flatMap((page) => {
  const blocks = codeBlocks(`docs/how-to/${page}`)
  return blocks
    .filter((block) => block.language === 'ts')
    .map((block) => {
      const file = noteOf(block, 'file')
      return { page, file, code: block.code, shown: blocks.find((each) => noteOf(each, 'output') === file)?.code }
    })
})

/** What the pages of the packages begin with. Blocks that import nothing go on from the one before. */
const inReadmes = readdirSync(path.join(root, 'packages'))
  .filter((name) => existsSync(path.join(root, 'packages', name, 'README.md')))
  .flatMap((name) =>
    codeBlocks(`packages/${name}/README.md`)
      .filter(({ language, code }) => language === 'ts' && code.startsWith('import '))
      .map(({ code }, at) => ({ file: `readme-${name}-${at}.ts`, code })),
  )

describe('the how-to pages of the toolkit', () => {
  let folder: string
  let redis: ServerHandle
  let env: NodeJS.ProcessEnv
  beforeAll(async () => {
    folder = await mkdtemp(path.join(root, 'node_modules', '.lockstep-docs-'))
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', skipLibCheck: true, types: ['node'] }
    const lib = ['es2023', 'esnext.disposable', 'dom']
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, lib }, include: ['*.ts'] }),
    )
    for (const { file, code } of programs) await writeFile(path.join(folder, file ?? 'nameless.ts'), code)
    for (const { file, code } of inReadmes) await writeFile(path.join(folder, file), code)
    redis = await startRedis({ quiet: true })
    const database = await cloneDatabase(inject('postgres'))
    env = { ...process.env, REDIS_URL: redis.url, DATABASE_URL: database.url }
  })
  afterAll(async () => {
    await redis?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('name a file and show an output for each program, each name once', () => {
    expect(programs.filter(({ file, shown }) => file === undefined || shown === undefined)).toEqual([])
    expect(new Set(programs.map(({ file }) => file)).size).toBe(programs.length)
  })

  it('are all found by the page that lists them', () => {
    const listed = readFileLinks('docs/how-to/README.md')
    expect(listed).toEqual(pages.sort())
  })

  it('compile as a strict project of a user, with what the packages begin with', async () => {
    expect(inReadmes.length).toBeGreaterThan(8)
    const { stdout } = await exec(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch((error) => error)
    expect(stdout).toBe('')
  })

  it.each(programs)('$page: $file prints what the page shows', async ({ file, shown }) => {
    const program = path.join(folder, (file ?? '').replace(/\.ts$/, '.js'))
    const { stdout, stderr } = await exec(process.execPath, [program], { cwd: folder, env, timeout: 60_000 })
    expect({ stdout, stderr }).toEqual({ stdout: shown, stderr: '' })
  })

  it('show a paused holder that is refused by its fence, and only by its fence', async () => {
    const { stdout } = await exec(process.execPath, [path.join(root, 'examples', 'fenced-lock', 'run.mjs')], { env })
    expect(stdout).toMatch(/the document says "Ann": Bob's write is lost[\s\S]*the document says "Bob"/)
    expect(stdout).toMatch(/Ann wrote, and the storage answered 412 refused: fence \d+ was here/)
  })
})

function readFileLinks(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8')
  return [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map((match) => match[1]!).sort()
}
