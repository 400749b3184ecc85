import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  type Installer,
  locatorFor,
  ServerMissing,
  startPostgres,
  startRabbitmq,
  startRedis,
} from '../../src/harness/index.ts'

const nowhere = locatorFor('', [])
const notRoot: Installer = { unable: () => 'you are not root', install: () => Promise.reject(new Error('not called')) }

describe('a server that is not installed', () => {
  it.each([
    ['PostgreSQL', startPostgres, ['postgresql', 'postgresql-contrib'], 'LOCKSTEP_TEST_DATABASE_URL'],
    ['Redis', startRedis, ['redis-server'], 'LOCKSTEP_TEST_REDIS_URL'],
    ['RabbitMQ', startRabbitmq, ['rabbitmq-server'], 'LOCKSTEP_TEST_RABBITMQ_URL'],
  ] as const)(
    '%s: the error names the packages, the command and the variable',
    async (server, start, packages, variable) => {
      const failure = await start({ locate: nowhere, install: notRoot, env: {}, quiet: true }).catch((e: unknown) => e)
      if (!ServerMissing.is(failure)) throw failure
      expect(failure.details).toMatchObject({ server, packages, variable, reason: 'you are not root' })
      expect(failure.message).toContain(`apt-get install -y --no-install-recommends ${packages.join(' ')}`)
      expect(failure.message).toContain(variable)
    },
  )

  it('is looked for on the PATH of the given environment', async () => {
    await expect(startRedis({ env: { PATH: '/nonexistent' }, install: notRoot, quiet: true })).rejects.toSatisfy(
      ServerMissing.is,
    )
    const redis = await startRedis({ env: { PATH: process.env.PATH }, install: notRoot, quiet: true })
    await redis.stop()
  })

  it('is installed where that is possible, and then started', async () => {
    const installed: string[] = []
    const installer: Installer = {
      unable: () => undefined,
      async install(packages, present) {
        expect(present()).toBe(false)
        installed.push(...packages)
      },
    }
    const real = locatorFor(process.env.PATH)
    const redis = await startRedis({
      locate: (binary) => (installed.length > 0 ? real(binary) : undefined),
      install: installer,
      env: {},
      quiet: true,
    })
    expect(installed).toEqual(['redis-server'])
    expect(redis.pid).toBeDefined()
    await redis.stop()
  })

  it('is still missing when the installation fails or brings nothing', async () => {
    const failing: Installer = { unable: () => undefined, install: () => Promise.reject(new Error('no network')) }
    const empty: Installer = { unable: () => undefined, install: () => Promise.resolve() }
    const start = (install: Installer) => startRedis({ locate: nowhere, install, env: {}, quiet: true })
    await expect(start(failing)).rejects.toThrow(/installing it failed: no network/)
    await expect(start(empty)).rejects.toThrow(/did not bring it/)
  })
})

it('a harness that is not built says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
  const packageFolder = fileURLToPath(new URL('../..', import.meta.url))
  try {
    mkdirSync(join(folder, 'node_modules/@lockstep'), { recursive: true })
    symlinkSync(join(packageFolder, '../base'), join(folder, 'node_modules/@lockstep/base'))
    cpSync(join(packageFolder, 'package.json'), join(folder, 'package.json'))
    cpSync(join(packageFolder, 'dist/harness'), join(folder, 'harness'), { recursive: true })
    rmSync(join(folder, 'harness/guardian.js'))
    const code = `import('./harness/index.js').then(({ startRedis }) => startRedis())`
    const { status, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/HARNESS_NOT_BUILT.*Run npm run build/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
