import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fail, progressLine, root, say, seconds } from './say.mjs'

const stamp = path.join(root, 'node_modules', '.lockstep-installed')
/** What a registry or a network says when the same call may work a moment later. */
const passing =
  /\b(429|50[0-4]|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN|ENOTFOUND|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|network)\b/i
const waitsSeconds = [5, 15, 45, 90]

/** Installs exactly what the lock file names, unless that is what is installed already. */
export async function ensureInstalled() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  for (let attempt = 0; ; attempt += 1) {
    const { code, output } = await install()
    if (code === 0) break
    const waitSeconds = waitsSeconds[attempt]
    if (!passing.test(output) || waitSeconds === undefined)
      fail(`npm ci failed with code ${code}:\n${output.trim().split('\n').slice(-15).join('\n')}`)
    say(`the registry did not answer (${passing.exec(output)[0]}), trying again in ${waitSeconds} s`)
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000))
  }
  writeFileSync(stamp, wanted)
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\n`)
  for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(path.join(root, file)))
  return hash.digest('hex')
}

async function install() {
  const startedAt = Date.now()
  const wanted = Object.keys(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages).length
  say(`installing up to ${wanted} packages`)
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const child = spawn(npm[0], [...npm.slice(1), 'ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const line = progressLine()
  const tick = setInterval(
    () => line.show(`installing, about ${countInstalled()} packages, ${seconds(startedAt)}`),
    500,
  )
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(127))
    child.on('exit', (exitCode) => resolve(exitCode ?? 1))
  })
  clearInterval(tick)
  line.clear()
  if (code === 0) say(`installed ${countInstalled()} packages in ${seconds(startedAt)}`)
  return { code, output: code === 127 ? 'npm was not found: install it beside Node and try again' : output }
}

function countInstalled() {
  const folder = path.join(root, 'node_modules')
  if (!existsSync(folder)) return 0
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .reduce((count, name) => count + (name.startsWith('@') ? safeCount(path.join(folder, name)) : 1), 0)
}

function safeCount(folder) {
  try {
    return readdirSync(folder).length
  } catch {
    return 0 // npm is moving folders about while we count
  }
}
