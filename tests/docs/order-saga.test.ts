import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

it('the order saga undoes what did not go through, also on another node', async () => {
  const { stdout } = await exec(process.execPath, [path.join(root, 'examples', 'order-saga', 'run.mjs')], {
    timeout: 100_000,
  })
  expect(stdout).toContain('… compensating')
  expect(stdout).toMatch(/Bob: charged[\s\S]*Bob: refunded[\s\S]*Bob: reservation given up[\s\S]*no truck/)
  expect(stdout).toContain('"charge" is undone')
}, 120_000)
