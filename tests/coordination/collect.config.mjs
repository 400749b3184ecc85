import { defineConfig } from 'vitest/config'

const conditions = ['source']

/** Collects the tests of the packages without a server: only what they are called is asked for. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'node', 'module', 'default'] } },
  test: { include: ['packages/*/test/**/*contracts*.test.ts'], maxWorkers: 2 },
})
