import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import type { RawOptions } from '../../packages/lockstep/src/options/raw-options.ts'
import { startNode } from '../../packages/lockstep/src/start-node.ts'

const KEY = 'a5b9c1d7e3f02468-of-this-test-alone'
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-secured-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (more: RawOptions) => startNode(resolveNodeOptions({ dataDir: folder, port: 0, ...more }), edge)
const ask = (url: string, method: string, where: string, headers: Record<string, string>, body?: object) =>
  fetch(`${url}/api/v1${where}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe('a node that is started', () => {
  it('with keys keeps strangers out, and its sessions over a restart: the secret is in the store', async () => {
    const first = await start({ auth: 'keys', apiKey: KEY })
    const admin = { authorization: `Bearer ${KEY}` }
    expect((await ask(first.url, 'GET', '/workflow-instances', {})).status).toBe(401)
    expect((await ask(first.url, 'GET', '/workflow-instances', admin)).status).toBe(200)
    expect((await fetch(`${first.url}/health/live`)).status).toBe(200)
    expect((await fetch(`${first.url}/metrics`)).status).toBe(401)
    expect((await fetch(`${first.url}/metrics`, { headers: admin })).status).toBe(200)
    const ana = { name: 'ana', password: 'correct horse battery' }
    expect((await ask(first.url, 'POST', '/users', admin, { ...ana, role: 'viewer' })).status).toBe(201)
    const signedIn = await ask(first.url, 'POST', '/session', {}, ana)
    const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0]!
    await first.stop()
    const second = await start({ auth: 'keys' })
    const { name } = (await (await ask(second.url, 'GET', '/session', { cookie })).json()) as { name: string }
    expect(name).toBe('ana')
    expect((await ask(second.url, 'GET', '/session', admin)).status).toBe(401)
    await second.stop()
  })

  it('for others without a secret, or without asking who they are, is not started at all', async () => {
    for (const more of [{ host: '0.0.0.0' }, { host: '0.0.0.0', auth: 'none', secret: KEY }])
      await expect(start(more)).rejects.toMatchObject({ code: 'UNSAFE_START' })
  })
})
