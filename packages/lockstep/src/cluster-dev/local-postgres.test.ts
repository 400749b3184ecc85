import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '@lockstep/base'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startLocalPostgres } from './local-postgres.ts'

let project: string
beforeEach(() => {
  // Nobody but its owner gets in, as in the home of root.
  project = mkdtempSync(path.join(tmpdir(), 'lockstep-closed-'))
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

it.runIf(process.getuid?.() === 0)('says to root why the user who runs PostgreSQL cannot', async () => {
  const bin = path.join(project, 'bin')
  mkdirSync(bin)
  for (const program of ['postgres', 'initdb']) {
    writeFileSync(path.join(bin, program), '#!/bin/sh\nexit 1\n')
    chmodSync(path.join(bin, program), 0o755)
  }
  const options = { folder: path.join(project, 'data'), searchPath: bin, project, clock: systemClock }
  await expect(startLocalPostgres(options)).rejects.toMatchObject({
    code: 'LOCAL_POSTGRES_FAILED',
    message: expect.stringMatching(/does not run as root.*bin\/initdb.*chmod o\+x/),
  })
})
