import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/setup/longest-first.ts'

const conditions = ['source']
const repeatable = fileURLToPath(new URL('tests/setup/repeatable-fast-check.ts', import.meta.url))
const shared = {
  resolve: { conditions, alias: [{ find: /^fast-check$/, replacement: repeatable }] },
  // Not `module`: Node would require files by it that are for bundlers, such as those of @opentelemetry/api.
  ssr: { resolve: { conditions: [...conditions, 'node', 'default'] } },
}

/** A machine may be busy: what is waited for comes late, not never. */
const expect = { poll: { timeout: 20_000 } }

/** Each file has its own databases, servers and processes; what it imports is read once. */
const servers = {
  globalSetup: ['tests/setup/shared-postgres.ts'],
  testTimeout: 120_000,
  hookTimeout: 240_000,
  isolate: false,
  fileParallelism: true,
  expect,
}

/** What people see: pages, commands, requests, documents. */
const surface = ['studio', 'cli', 'docs', 'start', 'deploy', 'api', 'security', 'server', 'activities'].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
)

/** Contracts of providers: they wait out leases, grants and connections in real time, which a machine that stands still outlasts. */
const contracts = ['postgres', 'redis', 'rabbitmq', 'testing'].map((name) => `packages/${name}/test/**/*.test.ts`)

/**
 * `unit` needs nothing but Node. The others talk to real servers that the harness brings up on private ports: `servers` is about what must
 * hold every time: a wrong value has one try, a wait in vain a second one, alone. Files of `surface` and `contracts` have two
 * (`scripts/test.mjs`): a page may be late on a busy machine, and a lease of a second may end while that machine does something else.
 */
export default defineConfig({
  test: {
    // More than the cores of a small machine: most of the long ones wait for a process to be missed.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        // Nothing in them outlives its test: files may share what they import, which takes longer than they do.
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], isolate: false, testTimeout: 60_000, expect },
      },
      {
        ...shared,
        test: {
          ...servers,
          name: 'servers',
          include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['packages/server/test/**', ...surface, ...contracts],
        },
      },
      { ...shared, test: { ...servers, name: 'contracts', include: contracts } },
      {
        ...shared,
        test: { ...servers, name: 'surface', include: ['packages/server/test/**/*.test.ts', ...surface] },
      },
    ],
  },
})
