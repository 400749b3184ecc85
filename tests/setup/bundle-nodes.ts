/**
 * Node processes of tests, each in one file: hundreds of them are started in a run, and most of the processor time of each went into opening
 * the files of the built packages one by one. The code is that of `dist`; workers and migrations are found where they were.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = path.join(root, 'node_modules/.cache/lockstep-test-nodes')
const inside = /^(?:[./]|@lockstep\/|typebox)/

const fileOf = (program: string): string => path.join(folder, path.relative(root, program).replaceAll(path.sep, '_'))

/** What to start in place of a program: its bundle, where the run has made one. */
export function nodeProgram(program: URL): string {
  const file = fileURLToPath(program)
  return existsSync(fileOf(file)) ? fileOf(file) : file
}

export async function bundleNodes(programs: readonly string[]): Promise<void> {
  await Promise.all(
    programs.map(async (program) => {
      const input = path.join(root, program)
      const bundle = await rolldown({
        input,
        platform: 'node',
        external: (id) => !inside.test(id),
        plugins: [
          {
            name: 'where-it-was',
            transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
          },
        ],
      })
      await bundle.write({ file: fileOf(input), format: 'esm', codeSplitting: false })
      await bundle.close()
    }),
  )
}
