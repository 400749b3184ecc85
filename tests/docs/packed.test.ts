import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeBlocks, noteOf } from './code-blocks.ts'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** What a registry or a network says when the same call may work a moment later. */
const passing = /\b(429|50[0-4]|ETIMEDOUT|ECONNRESET|EAI_AGAIN|ERR_SOCKET_TIMEOUT|network)\b/i

/** As a user's shell would call it: without what the npm that runs these tests has put into the environment. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

async function npm(cwd: string, ...args: string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await exec('npm', args, { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 })
      return
    } catch (error) {
      if (attempt >= 4 || !passing.test(String(error))) throw error
      await new Promise((resolve) => setTimeout(resolve, 5_000 * attempt))
    }
  }
}

describe('the packed packages, in an empty project', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-packed-'))
    await npm(root, 'pack', '--workspaces', '--pack-destination', folder)
    const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`)
    await writeFile(path.join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }')
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--engine-strict', ...tarballs)
    await cp(path.join(root, 'node_modules', '@types', 'node'), path.join(folder, 'node_modules', '@types', 'node'), {
      recursive: true,
    })
    await cp(path.join(root, 'node_modules', 'undici-types'), path.join(folder, 'node_modules', 'undici-types'), {
      recursive: true,
    })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('type-check and run the example of the README', async () => {
    const block = codeBlocks('README.md').find((each) => noteOf(each, 'file') === 'readme.ts')
    await writeFile(path.join(folder, 'readme.ts'), block?.code ?? '')
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: true, types: ['node'] },
        include: ['readme.ts'],
      }),
    )
    await exec(process.execPath, [tsc, '-p', '.'], { cwd: folder })
    const { stdout } = await exec(process.execPath, ['readme.js'], { cwd: folder })
    expect(stdout.trim()).toBe(`{ id: '42', paid: 99, approvedBy: 'Ada' }`)
  })

  it('are loaded from few files, with one copy of each class', async () => {
    await writeFile(
      path.join(folder, 'loaded.mjs'),
      `import { register } from 'node:module'
      const count = 'export const load = (url, context, next) => (console.log(url), next(url, context))'
      register('data:text/javascript,' + encodeURIComponent(count))
      const face = await import('lockstep')
      const engine = await import('@lockstep/engine')
      console.log('one copy', face.StepFailed === engine.StepFailed && face.Type === engine.Type)`,
    )
    const { stdout } = await exec(process.execPath, ['loaded.mjs'], { cwd: folder })
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => line.includes('/@lockstep/engine/bundle/'))).not.toEqual([])
    expect(lines.filter((line) => /@lockstep\/\w+\/dist\/|\/(typebox|jose)\//.test(line))).toEqual([])
    expect(lines.length).toBeLessThan(150)
    expect(lines.at(-1)).toBe('one copy true')
  })

  it('say what libraries their files hold', async () => {
    const texts = await Promise.all(
      ['engine', 'server'].map((name) =>
        readFile(path.join(folder, 'node_modules', '@lockstep', name, 'bundle', 'LICENSES.txt'), 'utf8'),
      ),
    )
    expect(texts[0]).toMatch(/^typebox \d[\s\S]*MIT License/)
    expect(texts[1]).toMatch(/^typebox \d[\s\S]*\njose \d[\s\S]*MIT License/)
  })

  it('bring the command line along', async () => {
    const { stdout } = await exec('npx', ['--no-install', 'lockstep', '--version'], { cwd: folder })
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('hold no tests, fixtures or sources', async () => {
    const files = await readdir(path.join(folder, 'node_modules', '@lockstep'), { recursive: true })
    expect(files.filter((file) => /\.(test|fixture)\./.test(file))).toEqual([])
  })
})
