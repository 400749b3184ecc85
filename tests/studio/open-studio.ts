import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'
import { ServerCluster } from '../cluster/front.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'

/** Asks the API; anything but success is an error of the test. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
export type Api = (method: string, path: string, body?: unknown) => Promise<any>

/** Servers as people start them, with Studio. */
export interface Studio extends AsyncDisposable {
  /** With its base path, without a slash at its end. */
  readonly url: string
  readonly api: Api
}

export interface StudioCluster extends Studio {
  /** Of the nodes themselves, each with its base path. */
  readonly nodes: readonly string[]
  readonly databaseUrl: string
}

type Environment = Readonly<Record<string, string>>

/** One server on the embedded store. `files` are put into the folder that it is started in. */
export async function openStudio(
  basePath = '/',
  more: Environment = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Studio & { readonly folder: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-studio-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  const env = {
    ...{ LOCKSTEP_DATA_DIR: path.join(folder, 'data'), LOCKSTEP_PORT: '0', LOCKSTEP_BASE_PATH: basePath },
    ...more,
  }
  const server = new LockstepProcess(['server'], { cwd: folder, env })
  const url = (await server.url()).replace(/\/$/, '')
  return {
    ...{ url, folder },
    api: apiOf(url, more.LOCKSTEP_API_KEY),
    async [Symbol.asyncDispose]() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Three servers on PostgreSQL, behind a front that sends every request to the next one, whoever asks. */
export async function openStudioCluster(basePath: string, more: Environment = {}): Promise<StudioCluster> {
  const database = await cloneDatabase(inject('postgres'))
  const environment = { LOCKSTEP_BASE_PATH: basePath, ...more }
  const cluster = await ServerCluster.open({
    databaseUrl: database.url,
    environments: [environment, environment, environment],
  })
  const url = `${cluster.front.url}${basePath}`
  return {
    url,
    api: apiOf(url, more.LOCKSTEP_API_KEY),
    nodes: cluster.urls,
    databaseUrl: database.url,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await database.drop()
    },
  }
}

export function apiOf(url: string, key?: string): Api {
  return async (method, at, body) => {
    const response = await fetch(`${url}/api/v1${at}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
