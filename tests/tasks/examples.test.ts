import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** On PostgreSQL of its own; `run.mjs` ends with another code than 0 when its story did not come true. */
async function run(name: string): Promise<string> {
  const database = await cloneDatabase(inject('postgres'))
  try {
    const env = { ...process.env, DATABASE_URL: database.url }
    const program = path.join(root, 'examples', name, 'run.mjs')
    const failed = (error: { readonly stdout?: string }): never =>
      expect.fail(`It ended badly, and said:\n${error.stdout}`)
    return (await exec(process.execPath, [program], { env, timeout: 110_000 }).catch(failed)).stdout
  } finally {
    await database.drop()
  }
}

describe('the examples', () => {
  it('approval: a link approves once, and what nobody looks at goes to the boss', async () => {
    const said = await run('approval')
    expect(said).toContain('Clicked once more: TASK_ALREADY_COMPLETED')
    expect(said).toMatch(/Ann: paid\nCarl: not paid\n$/)
  })

  it('fan-out-import: every line is handled once, and the wrong ones are named', async () => {
    const said = await run('fan-out-import')
    expect(said).toContain('The import answered 207: 57 of 60 lines were imported')
    expect(said).toContain('line 28: "wrong-27" is no e-mail address')
    expect(said).toMatch(/The worker has 57 customers\n$/)
  })
})
