// Builds Studio into dist/, unless its sources are those of the last build. Run by scripts/bootstrap/build.mjs after compiling.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import config from './vite.config.mjs'

const folder = import.meta.dirname
const dist = path.join(folder, 'dist')
const next = path.join(folder, 'node_modules', '.next-dist')
const stamp = path.join(dist, '.sources')
const wanted = fingerprint()

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // Beside the old one, which stays until the new one is whole: a server may be reading it.
  await build({ ...config, configFile: false, logLevel: 'warn', build: { ...config.build, outDir: next } })
  writeFileSync(path.join(next, '.sources'), wanted)
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
}

/** Contents, not times: a fresh clone with a kept dist builds nothing. */
function fingerprint() {
  const hash = createHash('sha256')
  const lock = path.join(folder, '..', '..', 'package-lock.json')
  const folders = [path.join(folder, 'src'), path.join(folder, '..', 'api', 'src', 'filter')]
  const sources = folders
    .flatMap((each) => readdirSync(each, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
  for (const file of [...sources, path.join(folder, 'vite.config.mjs'), path.join(folder, 'package.json'), lock])
    hash.update(`${path.relative(folder, file)}\n`).update(readFileSync(file))
  return hash.digest('hex')
}
