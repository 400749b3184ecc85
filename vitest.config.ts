import { defineConfig } from 'vitest/config'

const conditions = ['source']
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'node', 'module', 'default'] } },
}

/** `unit` needs nothing but Node. `servers` talks to real servers that the harness brings up on private ports. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        ...shared,
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], testTimeout: 30_000 },
      },
      {
        ...shared,
        test: {
          name: 'servers',
          globalSetup: ['tests/setup/shared-postgres.ts'],
          include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 240_000,
          fileParallelism: true,
        },
      },
    ],
  },
})
