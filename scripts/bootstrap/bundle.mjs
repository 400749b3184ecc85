// What a package is loaded from: its entry points, each joined with what it needs into a few files. Opening the modules of `dist` one by one cost
// more than running them. Other packages stay outside, so that there is one copy of each of their classes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './say.mjs'

/** Libraries of hundreds of small files. None keeps anything that two copies of it would have to share. */
const INLINED = ['typebox', 'jose']

/** What is joined from what: files of `bundle` and the compiled modules behind them. */
export function entryPoints(manifest) {
  const faces = Object.values(manifest.exports ?? {}).map((face) => [
    face.default,
    face.types?.replace(/\.d\.ts$/, '.js'),
  ])
  return [...faces, ...Object.entries(manifest.lockstep?.programs ?? {})].filter(([file]) =>
    file?.startsWith('./bundle/'),
  )
}

export async function bundlePackage(folder) {
  const manifest = readManifest(folder)
  const entries = entryPoints(manifest)
  if (entries.length === 0) return
  const { rolldown } = await import('rolldown')
  const inlined = INLINED.filter((library) => manifest.dependencies?.[library] !== undefined)
  const isInlined = (id) => inlined.some((library) => id === library || id.startsWith(`${library}/`))
  const joined = await rolldown({
    input: Object.fromEntries(entries.map(([file, module]) => [path.basename(file, '.js'), path.join(folder, module)])),
    platform: 'node',
    cwd: root,
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id) && !isInlined(id),
    plugins: [foundWhereItWas(folder)],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(`${manifest.name}: ${message}`)
    },
  })
  const folderOut = path.join(folder, 'bundle')
  const { output } = await joined.write({
    ...{ dir: folderOut, format: 'esm', keepNames: true },
    // The names of the last build, in files and between them: a node that runs may yet load one.
    ...{ chunkFileNames: '[name].js', minifyInternalExports: false },
  })
  await joined.close()
  for (const file of readdirSync(folderOut))
    if (!output.some(({ fileName }) => fileName === file)) rmSync(path.join(folderOut, file))
  if (inlined.length > 0) writeFileSync(path.join(folderOut, 'LICENSES.txt'), inlined.map(licence).join('\n\n'))
}

/** A module looks for its workers, migrations and manifest from where it was compiled to. */
function foundWhereItWas(folder) {
  return {
    name: 'found-where-it-was',
    transform(code, id) {
      if (!code.includes('import.meta.url') || !id.startsWith(path.join(folder, 'dist'))) return
      const place = `../${path.relative(folder, id).replaceAll(path.sep, '/')}`
      return { code: code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) }
    },
  }
}

function licence(library) {
  const folder = path.join(root, 'node_modules', library)
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  return `${library} ${readManifest(folder).version}\n\n${readFileSync(path.join(folder, file), 'utf8')}`
}

function readManifest(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
}
