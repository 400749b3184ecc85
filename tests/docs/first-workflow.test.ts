import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { type CodeBlock, codeBlocks, noteOf } from './code-blocks.ts'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** A project of a user's own, inside the repository's tree so that packages resolve, and its strict compiler settings. */
async function project(): Promise<string> {
  const folder = await mkdtemp(path.join(root, 'node_modules', '.lockstep-docs-'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: true, types: ['node'] },
      include: ['*.ts'],
    }),
  )
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** Checks the types of a block as a user's project would, and runs what comes out. */
async function compileAndRun(folder: string, file: string, code: string): Promise<string> {
  await writeFile(path.join(folder, file), code)
  await exec(process.execPath, [tsc, '-p', '.'], { cwd: folder })
  const { stdout } = await exec(process.execPath, [file.replace(/\.ts$/, '.js')], { cwd: folder })
  return stdout.trim()
}

describe('README and tutorial', () => {
  let folder: string
  beforeAll(async () => {
    folder = await project()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('runs the example of the README', async () => {
    const block = codeBlocks('README.md').find((each) => noteOf(each, 'file') === 'readme.ts')
    expect(await compileAndRun(folder, 'readme.ts', block?.code ?? '')).toBe(
      `{ id: '42', paid: 99, approvedBy: 'Ada' }`,
    )
    await rm(path.join(folder, '.lockstep'), { recursive: true })
  })

  it('runs every TypeScript block of the tutorial, twice, with the output it shows', async () => {
    const blocks = codeBlocks('docs/tutorials/your-first-workflow.md')
    for (const block of blocks.filter((each) => each.language === 'ts')) {
      const file = noteOf(block, 'file') ?? ''
      const shown = blocks.find((each) => noteOf(each, 'output') === file)?.code.trim()
      expect(await compileAndRun(folder, file, block.code)).toBe(shown)
      expect(await compileAndRun(folder, file, block.code)).toBe(shown)
    }
  })

  it('runs every shell block of the tutorial against a node', async () => {
    await using node = new LockstepProcess(['server', '--port', '0', '--data-dir', 'served'], { cwd: folder })
    const url = await node.url()
    for (const block of codeBlocks('docs/tutorials/your-first-workflow.md')) await runBlock(folder, url, block)
  })
})

async function runBlock(folder: string, url: string, block: CodeBlock): Promise<void> {
  const file = noteOf(block, 'file')
  if (block.language === 'json' && file !== undefined) await writeFile(path.join(folder, file), block.code)
  if (block.language !== 'sh' || block.note === 'norun') return
  const { stdout } = await exec('sh', ['-ec', block.code.replaceAll('http://127.0.0.1:4400', url)], { cwd: folder })
  expect(stdout).not.toContain('/problems/')
  expect(stdout).toContain(noteOf(block, 'expect') ?? '')
}
