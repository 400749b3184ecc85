import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LockstepProcess } from '../start/run-lockstep.ts'

/** A server as people start it, with Studio, on the embedded store. */
export interface Studio extends AsyncDisposable {
  /** With its base path, without a slash at its end. */
  readonly url: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  api(method: string, path: string, body?: unknown): Promise<any>
}

export async function openStudio(basePath = '/'): Promise<Studio> {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-studio-'))
  const env = { LOCKSTEP_DATA_DIR: path.join(folder, 'data'), LOCKSTEP_PORT: '0', LOCKSTEP_BASE_PATH: basePath }
  const server = new LockstepProcess(['server'], { cwd: folder, env })
  const url = (await server.url()).replace(/\/$/, '')
  return {
    url,
    async api(method, at, body) {
      const response = await fetch(`${url}/api/v1${at}`, {
        method,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    async [Symbol.asyncDispose]() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
