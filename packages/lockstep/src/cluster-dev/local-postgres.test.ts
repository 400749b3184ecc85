import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

it.runIf(process.getuid?.() === 0)('says so when only the folder is closed to that user', async () => {
  const bin = mkdtempSync(path.join(tmpdir(), 'lockstep-open-'))
  chmodSync(bin, 0o755)
  try {
    for (const program of ['postgres', 'initdb']) {
      writeFileSync(path.join(bin, program), '#!/bin/sh\necho "initdb: error: Permission denied" >&2; exit 1\n')
      chmodSync(path.join(bin, program), 0o755)
    }
    const options = { folder: path.join(project, 'data'), searchPath: bin, project, clock: systemClock }
    await expect(startLocalPostgres(options)).rejects.toMatchObject({
      code: 'LOCAL_POSTGRES_FAILED',
      message: expect.stringMatching(/does not run as root.*into that folder.*chmod o\+x/),
    })
  } finally {
    rmSync(bin, { recursive: true, force: true })
  }
})

it('names the folder that it may not make', async () => {
  const bin = path.join(project, 'bin')
  mkdirSync(bin)
  for (const program of ['postgres', 'initdb']) writeFileSync(path.join(bin, program), '', { mode: 0o755 })
  // A file in the way: root may write everywhere else.
  writeFileSync(path.join(project, 'taken'), '')
  const folder = path.join(project, 'taken', 'postgres')
  await expect(startLocalPostgres({ folder, searchPath: bin, project, clock: systemClock })).rejects.toMatchObject({
    code: 'LOCAL_POSTGRES_FAILED',
    message: expect.stringMatching(/taken\/postgres failed at making that folder: .*(ENOTDIR|EEXIST)/),
  })
})

it('does not take a process for its server that only has the number of one that died', async () => {
  const bin = path.join(project, 'bin')
  const folder = path.join(project, 'postgres')
  const data = path.join(folder, 'data')
  for (const each of [bin, folder, data]) mkdirSync(each)
  for (const program of ['postgres', 'initdb']) {
    writeFileSync(path.join(bin, program), '#!/bin/sh\nexit 1\n')
    chmodSync(path.join(bin, program), 0o755)
  }
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)', data], { stdio: 'ignore' })
  await once(stranger, 'spawn')
  try {
    writeFileSync(path.join(data, 'PG_VERSION'), '16')
    writeFileSync(path.join(folder, 'password'), 'secret')
    const lock = [stranger.pid, data, 0, 5432, '', '127.0.0.1', '', 'ready   ', '']
    writeFileSync(path.join(data, 'postmaster.pid'), lock.join('\n'))
    const options = { folder, searchPath: bin, project, clock: systemClock }
    const found = await startLocalPostgres(options).catch((error: { code?: string }) => error)
    if ('stop' in found) await found.stop()
    expect(found).toMatchObject({ code: 'LOCAL_POSTGRES_FAILED' })
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null])
  } finally {
    stranger.kill('SIGKILL')
  }
})
