import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aptInstaller, type Installer } from './install-packages.ts'

describe('aptInstaller', () => {
  let folder: string
  let policyFile: string
  const lines: string[] = []
  const progress = (line: string): void => void lines.push(line)
  const absent = (): boolean => false
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
    policyFile = join(folder, 'policy-rc.d')
    lines.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Stands in for apt-get: writes down how it was called and what the policy for services said meanwhile. */
  function installer(script = ''): Installer {
    const aptGet = join(folder, 'apt-get')
    const log = join(folder, 'calls')
    const body = `${policyFile} any start; echo "$DEBIAN_FRONTEND policy=$? $*" >> ${log}\n${script}`
    writeFileSync(aptGet, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
    return aptInstaller({ aptGet, policyFile, lockFile: join(folder, 'lock'), uid: 0 })
  }
  const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

  it('updates once, then installs without questions and without starting services', async () => {
    const apt = installer()
    await apt.install(['redis-server'], absent, progress)
    await apt.install(['postgresql', 'postgresql-contrib'], absent, progress)
    const option = '-o DPkg::Lock::Timeout=300'
    expect(calls()).toEqual([
      `noninteractive policy=127 ${option} update`,
      `noninteractive policy=101 ${option} install -y --no-install-recommends redis-server`,
      `noninteractive policy=101 ${option} install -y --no-install-recommends postgresql postgresql-contrib`,
    ])
    expect(existsSync(policyFile)).toBe(false)
    expect(lines[0]).toBe('apt-get update')
  })

  it('puts a policy that allows services back as it was', async () => {
    writeFileSync(policyFile, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    await installer().install(['redis-server'], absent, progress)
    expect(calls()[1]).toContain('policy=101')
    expect(readFileSync(policyFile, 'utf8')).toBe('#!/bin/sh\nexit 0\n')
  })

  it('restores the policy that a killed run had moved away', async () => {
    writeFileSync(`${policyFile}.before-lockstep`, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    writeFileSync(
      policyFile,
      '#!/bin/sh\n# Put here by the lockstep test harness while it installs packages\nexit 101\n',
      {
        mode: 0o755,
      },
    )
    await installer().install(['redis-server'], absent, progress)
    expect(readFileSync(policyFile, 'utf8')).toBe('#!/bin/sh\nexit 0\n')
    expect(existsSync(`${policyFile}.before-lockstep`)).toBe(false)
  })

  it('does nothing when another process has installed it meanwhile', async () => {
    await installer().install(['redis-server'], () => true, progress)
    expect(existsSync(join(folder, 'calls'))).toBe(false)
  })

  it('reports what apt-get said when it fails, and still takes the guard away', async () => {
    const apt = installer('case "$*" in *install*) echo "E: Unable to locate package"; exit 100;; esac')
    await expect(apt.install(['nonesuch'], absent, progress)).rejects.toThrow(/ended with 100\nE: Unable to locate/)
    expect(existsSync(policyFile)).toBe(false)
  })

  it('says why it cannot install', () => {
    expect(aptInstaller({ aptGet: join(folder, 'none'), uid: 0 }).unable()).toMatch(/not a Debian system/)
    installer()
    expect(aptInstaller({ aptGet: join(folder, 'apt-get'), uid: 1000 }).unable()).toMatch(/not root/)
    expect(installer().unable()).toBeUndefined()
  })
})
