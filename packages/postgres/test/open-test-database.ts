import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import {
  cloneDatabase,
  type ServerHandle,
  type PostgresOptions as ServerOptions,
  startPostgres,
} from '@lockstep/testing/harness'
import { type Db, openPglite, openPostgres, type PgliteOptions, type PostgresOptions } from '../src/index.ts'

export const edge = { clock, random }

/** The one place where tests get a server from. */
export function startTestServer(options: ServerOptions = {}): Promise<ServerHandle> {
  return startPostgres({ quiet: true, ...options })
}

/** The URL of an empty database of its own. */
export async function emptyDatabase(server: ServerHandle): Promise<string> {
  return (await cloneDatabase(server, 'template1')).url
}

export function openTestPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Db> {
  return openPostgres({ ...edge, url, ...options })
}

export function openTestPglite(options: Partial<PgliteOptions> = {}): Promise<Db> {
  return openPglite({ ...edge, ...(options.dataDir === undefined ? { memory: true } : {}), ...options })
}

export interface TestFolder extends Disposable {
  readonly path: string
}

export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Asks again and again until the answer is yes; the test's own time limit ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** What a promise was rejected with. */
export async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('expected a rejection')
}
