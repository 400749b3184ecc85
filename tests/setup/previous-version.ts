/**
 * An earlier version of this repository as one file that runs: taken out of its history, and bundled from its sources, so that nothing of it
 * has to be installed or built. Kept from one run to the next.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = path.join(root, 'node_modules/.cache/lockstep-previous')
const inside = /^(?:[./\0]|@lockstep\/|@oxc-project\/|typebox)/

export interface PreviousVersion {
  readonly folder: string
  /** What to start. */
  readonly program: string
}

/** `program`: its path in that version. */
export async function previousVersion(commit: string, program: string): Promise<PreviousVersion> {
  const folder = path.join(cache, commit)
  if (!existsSync(folder)) takeOut(commit, folder)
  const file = path.join(folder, `${path.basename(program, '.mjs')}.bundle.mjs`)
  if (!existsSync(file)) await bundle(folder, program, file)
  return { folder, program: file }
}

function takeOut(commit: string, folder: string): void {
  const git = (...words: string[]): Buffer =>
    execFileSync('git', words, { cwd: root, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
  let archive: Buffer
  try {
    archive = git('archive', commit, 'packages', 'tests/faults')
  } catch {
    throw new Error(
      `This test runs version ${commit} beside the present one and needs it in the history of the clone. A shallow clone has not got it: "git fetch --unshallow" brings it.`,
    )
  }
  const making = `${folder}.${process.pid}`
  mkdirSync(making, { recursive: true })
  execFileSync('tar', ['-x', '-C', making], { input: archive })
  try {
    renameSync(making, folder)
  } catch {
    rmSync(making, { recursive: true, force: true }) // another process was faster
  }
}

async function bundle(folder: string, program: string, file: string): Promise<void> {
  const made = await rolldown({
    input: path.join(folder, program),
    platform: 'node',
    transform: { target: 'node20' },
    external: (id) => !inside.test(id),
    plugins: [
      { name: 'its-own-packages', resolveId: (id) => sourceOf(folder, id) },
      {
        name: 'where-it-was',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
  })
  const writing = `${file}.${process.pid}`
  await made.write({ file: writing, format: 'esm', codeSplitting: false })
  await made.close()
  renameSync(writing, file)
}

/** Packages of that version, not of the one that is installed here. */
function sourceOf(folder: string, id: string): string | null {
  const [, name, rest = ''] = /^@lockstep\/([a-z]+)(\/.+)?$/.exec(id) ?? []
  if (name === undefined) return null
  const of = path.join(folder, 'packages', name)
  const { exports } = JSON.parse(readFileSync(path.join(of, 'package.json'), 'utf8')) as {
    exports: Record<string, { source: string }>
  }
  return path.join(of, exports[`.${rest}`]!.source)
}
