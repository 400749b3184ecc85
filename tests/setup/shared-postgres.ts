import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { migrate, openPostgres } from '@lockstep/postgres'
import { type ServerHandle, startPostgres, type TemplateDatabase, templateDatabase } from '@lockstep/testing/harness'
import type { TestProject } from 'vitest/node'
import { bundleNodes } from './bundle-nodes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A migrated template on the server that all test files share; clone it, never write to it. */
    readonly postgres: { readonly adminUrl: string; readonly template: string }
  }
}

const programs = [
  'tests/limits/limit-node.mjs',
  'tests/flow/flow-node.mjs',
  'tests/tasks/task-node.mjs',
  'tests/faults/node-process.mjs',
  'tests/schedule/schedule-node.mjs',
  'tests/maintenance/sweeping-process.mjs',
  'tests/coordination/lock-worker.mjs',
  'tests/activities/message-node.mjs',
]

interface Shared {
  readonly server: ServerHandle
  readonly template: TemplateDatabase
}

/** Each project of the run loads this file for itself, and all of them use what the first has started. */
const world = globalThis as { lockstepTestServer?: { users: number; shared: Promise<Shared> } }

/** One PostgreSQL for the whole run. Tests that kill servers bring up their own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  world.lockstepTestServer ??= { users: 0, shared: begin() }
  const present = world.lockstepTestServer
  present.users += 1
  project.provide('postgres', (await present.shared).template)
  return async () => {
    present.users -= 1
    if (present.users > 0) return
    delete world.lockstepTestServer
    await (await present.shared).server.stop()
  }
}

async function begin(): Promise<Shared> {
  await bundleNodes(programs)
  const server = await startPostgres({ maxConnections: 400 })
  const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
  const template = await templateDatabase(server, {
    name: 'lockstep_template',
    migrate: async (url) => {
      const db = await openPostgres({ url, ...edge })
      await migrate(db, { mode: 'auto', ...edge })
      await db.close()
    },
  })
  return { server, template }
}
