import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deferred } from '@lockstep/base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withInstallLock } from './install-lock.ts'

describe('withInstallLock', () => {
  let folder: string
  let file: string
  const ignore = (): void => undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
    file = join(folder, 'install.lock')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('names its process in the file and leaves nothing behind, also after a failure', async () => {
    const holder = await withInstallLock(file, ignore, async () => readFileSync(file, 'utf8'))
    expect(Number.parseInt(holder, 10)).toBe(process.pid)
    await expect(withInstallLock(file, ignore, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(readdirSync(folder)).toEqual([])
  })

  it('lets one in at a time and tells the other whom it waits for', async () => {
    const inside: string[] = []
    const leave = deferred<void>()
    const entered = deferred<void>()
    const waitsFor = deferred<number>()
    const first = withInstallLock(file, ignore, async () => {
      inside.push('first in')
      entered.resolve()
      await leave.promise
      inside.push('first out')
    })
    await entered.promise
    const second = withInstallLock(file, waitsFor.resolve, async () => {
      inside.push('second in')
    })
    expect(await waitsFor.promise).toBe(process.pid)
    leave.resolve()
    await Promise.all([first, second])
    expect(inside).toEqual(['first in', 'first out', 'second in'])
  })

  it('breaks the lock of a process that is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(file, `${pid} 1`)
    expect(await withInstallLock(file, ignore, async () => 'in')).toBe('in')
    expect(existsSync(file)).toBe(false)
  })

  it('breaks the lock of a process whose pid now belongs to another', async () => {
    writeFileSync(file, `${process.pid} another start`)
    expect(await withInstallLock(file, ignore, async () => 'in')).toBe('in')
  })
})
