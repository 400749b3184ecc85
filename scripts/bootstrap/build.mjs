import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundlePackage, entryPoints } from './bundle.mjs'
import { fail, root, say, seconds } from './say.mjs'

const stamp = path.join(root, 'node_modules', '.lockstep-built')
const sourceFolders = ['src', 'migrations']

/** Builds every package, unless no source changed since the last build. */
export async function ensureBuilt({ force = false } = {}) {
  const wanted = fingerprint()
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && outputsExist()) return
  const startedAt = Date.now()
  say('building')
  run('compile', [path.join('node_modules', 'typescript', 'bin', 'tsc'), '-b'])
  await bundleAll().catch(({ message }) => fail(`bundling failed:\n${message}`))
  for (const step of afterCompile()) run(step, [step])
  writeFileSync(stamp, wanted)
  say(`built in ${seconds(startedAt)}`)
}

/** What packages are loaded from, made of what the compiler wrote. */
export async function bundleAll() {
  for (const name of packages()) await bundlePackage(folderOf(name))
}

/** Programs that packages bring along to make what the compiler cannot. */
function afterCompile() {
  return packages().flatMap((name) => {
    const { lockstep = {} } = manifestOf(name)
    return (lockstep.afterCompile ?? []).map((file) => path.join('packages', name, file))
  })
}

function run(what, args) {
  const result = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (result.status !== 0) fail(`${what} failed:\n${result.stdout}${result.stderr}`)
}

/** Names, sizes and times of all sources: a few milliseconds for the whole tree. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  const add = (file) => {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`)
  }
  for (const file of ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json', 'scripts/bootstrap/bundle.mjs'])
    add(path.join(root, file))
  for (const name of packages()) {
    for (const file of ['package.json', 'tsconfig.json']) add(path.join(folderOf(name), file))
    for (const folder of sourceFolders) walk(path.join(folderOf(name), folder), add)
  }
  return hash.digest('hex')
}

function walk(folder, visit) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) walk(full, visit)
    else visit(full)
  }
}

function packages() {
  return readdirSync(path.join(root, 'packages'))
    .filter((name) => existsSync(path.join(root, 'packages', name, 'tsconfig.json')))
    .sort()
}

function folderOf(name) {
  return path.join(root, 'packages', name)
}

function manifestOf(name) {
  return JSON.parse(readFileSync(path.join(folderOf(name), 'package.json'), 'utf8'))
}

function outputsExist() {
  return packages().every((name) => {
    const files = ['dist', ...entryPoints(manifestOf(name)).map(([file]) => file)]
    return files.every((file) => existsSync(path.join(folderOf(name), file)))
  })
}
