/** Does in folders what `docker build` does in images, for whoever has no Docker: copies, and runs what stands behind RUN. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { readCopy, readDockerfile } from './dockerfile.ts'

export interface BuiltImage {
  /** The root of the last stage. */
  readonly root: string
  readonly workdir: string
}

/** What the last stage runs is about the machine inside the image and is left out. */
export function runImageSteps(text: string, context: string, ignored: RegExp, into: string): BuiltImage {
  const { stages } = readDockerfile(text)
  let workdir = '/'
  let root = into
  for (const [index, stage] of stages.entries()) {
    root = path.join(into, stage.name)
    mkdirSync(root, { recursive: true })
    if (stages.some(({ name }) => name === stage.from))
      cpSync(path.join(into, stage.from), root, { recursive: true, verbatimSymlinks: true })
    else workdir = '/'
    for (const { name, text: rest } of stage.instructions) {
      const here = path.join(root, workdir)
      if (name === 'WORKDIR') {
        workdir = rest
        mkdirSync(path.join(root, workdir), { recursive: true })
      }
      if (name === 'COPY') copy(rest, { context, into, here, ignored })
      if (name === 'RUN' && index < stages.length - 1)
        execFileSync('sh', ['-ec', rest], { cwd: here, stdio: 'pipe', maxBuffer: 1 << 28 })
    }
  }
  return { root, workdir: path.join(root, workdir) }
}

function copy(
  text: string,
  { context, into, here, ignored }: { context: string; into: string; here: string; ignored: RegExp },
): void {
  const { from, sources, to } = readCopy(text)
  for (const source of sources) {
    const what = from === undefined ? path.join(context, source) : path.join(into, from, source)
    if (!existsSync(what)) throw new Error(`COPY ${source}: there is no such thing`)
    const isFolder = statSync(what).isDirectory()
    const target = path.resolve(here, to, isFolder || !to.endsWith('/') ? '' : path.basename(source))
    const wanted = (each: string): boolean => from !== undefined || !ignored.test(`/${path.relative(context, each)}/`)
    cpSync(what, target, { recursive: true, verbatimSymlinks: true, filter: wanted })
  }
}
