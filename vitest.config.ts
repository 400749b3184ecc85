import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const conditions = ['source']
const repeatable = fileURLToPath(new URL('tests/setup/repeatable-fast-check.ts', import.meta.url))
const shared = {
  resolve: { conditions, alias: [{ find: /^fast-check$/, replacement: repeatable }] },
  ssr: { resolve: { conditions: [...conditions, 'node', 'module', 'default'] } },
}

/** A machine may be busy: what is waited for comes late, not never. */
const expect = { poll: { timeout: 20_000 } }

/** `unit` needs nothing but Node. `servers` talks to real servers that the harness brings up on private ports. */
export default defineConfig({
  test: {
    // More than the cores of a small machine: most of the long ones wait for a process to be missed.
    maxWorkers: 3,
    projects: [
      {
        ...shared,
        // Nothing in them outlives its test: files may share what they import, which takes longer than they do.
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], isolate: false, testTimeout: 60_000, expect },
      },
      {
        ...shared,
        test: {
          name: 'servers',
          globalSetup: ['tests/setup/shared-postgres.ts'],
          include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 240_000,
          // Each file has its own databases, servers and processes; what it imports is read once.
          isolate: false,
          fileParallelism: true,
          expect,
        },
      },
    ],
  },
})
