import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase } from '@lockstep/testing/harness'
import { expect, inject, it } from 'vitest'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../examples/payment-at-most-once/run.mjs', import.meta.url))

it('the example of a payment: each order is charged once, whatever died, and a person decided what was unclear', async () => {
  const database = await cloneDatabase(inject('postgres'))
  const env = { ...process.env, DATABASE_URL: database.url }
  const { stdout } = await run(process.execPath, [program], { env, timeout: 100_000 })
  expect(stdout).toContain('two incidents wait for a person')
  expect(stdout).toContain('order-1: booked, so completed: completed, "order-1: found in the books"')
  expect(stdout).toContain('order-2: not booked, so tried again: completed, "order-2: receipt of order-2"')
  expect(stdout).toContain('charges per order: 1, 1')
  await database.drop()
})
