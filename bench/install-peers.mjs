import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { progressLine, say, seconds } from '../scripts/bootstrap/say.mjs'

const folder = fileURLToPath(new URL('peers/', import.meta.url))
const modules = path.join(folder, 'node_modules')
const stamp = path.join(modules, '.lockstep-installed')
const PAUSES_SECONDS = [5, 20, 60]

/** Installs the engines to compare with, unless they are there already. Nothing of them is needed to run Lockstep. */
export async function installPeers() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  for (let attempt = 0; ; attempt += 1) {
    const { code, output } = await install()
    if (code === 0) break
    const pause = PAUSES_SECONDS[attempt]
    const tail = output.trim().split('\n').slice(-10).join('\n')
    if (pause === undefined) throw new Error(`the peers could not be installed (npm ended with ${code}):\n${tail}`)
    say(`installing the peers failed, trying again in ${pause} s: ${output.trim().split('\n')[0]}`)
    await delay(pause * 1000)
  }
  writeFileSync(stamp, fingerprint())
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(path.join(folder, name)))
  return hash.digest('hex')
}

/** No scripts of theirs: the binaries come as packages, and one of them only reports home. */
async function install() {
  const startedAt = Date.now()
  say('installing the peers to compare with (DBOS, Restate, BullMQ: about 250 MB)')
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const child = spawn('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  let output = ''
  const keep = (chunk) => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const line = progressLine()
  const tick = setInterval(
    () => line.show(`installing the peers, ${countModules()} packages, ${seconds(startedAt)}`),
    500,
  )
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(127)
    })
    child.once('exit', (exitCode) => resolve(exitCode ?? 1))
  })
  clearInterval(tick)
  line.clear()
  if (code === 0) say(`installed the peers, ${countModules()} packages in ${seconds(startedAt)}`)
  return { code, output }
}

function countModules() {
  try {
    return readdirSync(modules).filter((name) => !name.startsWith('.')).length
  } catch {
    return 0 // not yet there, or npm is moving folders about
  }
}
