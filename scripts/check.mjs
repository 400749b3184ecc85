// `npm run check`: formatter, linter, types, import table, cycles, banned names, generated files. Every step prints what it found.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { root, say, seconds } from './bootstrap/say.mjs'

const bin = (name, ...file) => path.join('node_modules', name, ...file)
const steps = [
  ['format and lint', [bin('@biomejs', 'biome', 'bin', 'biome'), 'ci', '--colors=off', '.']],
  ['types', [bin('typescript', 'bin', 'tsc'), '-p', 'tsconfig.tests.json']],
  ['types of Studio', [bin('typescript', 'bin', 'tsc'), '-p', 'packages/studio/tsconfig.json']],
  ['imports and cycles', ['scripts/check/imports.mjs']],
  ['names', ['scripts/check/names.mjs']],
  ['ports', ['scripts/check/ports.mjs']],
  ['lock file', ['scripts/check/lock-file.mjs']],
  ['generated files', ['scripts/generate.mjs', '--check']],
]

const startedAt = Date.now()
const waiting = [...steps]
const failures = []
await Promise.all([worker(), worker()])
if (failures.length > 0) {
  say(`check failed: ${failures.join(', ')}`)
  process.exit(1)
}
say(`check passed, ${steps.length} steps in ${seconds(startedAt)}`)

async function worker() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const [name, args] = step
    const from = Date.now()
    const { code, output } = await run(args)
    say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds(from)})`)
    if (code === 0) continue
    failures.push(name)
    process.stderr.write(`${output.trimEnd()}\n`)
  }
}

function run(args) {
  const child = spawn(process.execPath, args, { cwd: root })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => child.on('exit', (code) => resolve({ code: code ?? 1, output })))
}
