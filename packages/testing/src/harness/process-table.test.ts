import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { findProcess, listProcesses } from './process-table.ts'

it('lists a child with its parent, and forgets it once it is gone', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  const pid = child.pid as number
  expect(listProcesses().find((entry) => entry.pid === pid)).toMatchObject({ parentPid: process.pid })
  expect(findProcess(pid)?.startedAt).not.toBe('')

  child.stdin.end()
  await once(child, 'exit')
  expect(findProcess(pid)).toBeUndefined()
})
