import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LockstepProcess } from '../start/run-lockstep.ts'

/** Asks the API; anything but success is an error of the test. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
export type Api = (method: string, path: string, body?: unknown) => Promise<any>

/** A server as people start it, with Studio, on the embedded store. */
export interface Studio extends AsyncDisposable {
  /** With its base path, without a slash at its end. */
  readonly url: string
  readonly api: Api
}

export async function openStudio(basePath = '/', more: Readonly<Record<string, string>> = {}): Promise<Studio> {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-studio-'))
  const env = {
    ...{ LOCKSTEP_DATA_DIR: path.join(folder, 'data'), LOCKSTEP_PORT: '0', LOCKSTEP_BASE_PATH: basePath },
    ...more,
  }
  const server = new LockstepProcess(['server'], { cwd: folder, env })
  const url = (await server.url()).replace(/\/$/, '')
  return {
    url,
    api: apiOf(url, more.LOCKSTEP_API_KEY),
    async [Symbol.asyncDispose]() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
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
