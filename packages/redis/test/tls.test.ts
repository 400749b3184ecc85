import { type Certificate, freePort, makeCertificate, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openProvider } from './open-test-redis.ts'
import { fenceOf, inbox, mutex } from './requests.ts'

let server: ServerHandle
let certificate: Certificate
let url: string

beforeAll(async () => {
  certificate = await makeCertificate()
  const port = await freePort()
  const files = ['--tls-cert-file', certificate.certificateFile, '--tls-key-file', certificate.keyFile]
  const trust = ['--tls-ca-cert-file', certificate.certificateFile, '--tls-auth-clients', 'no']
  server = await startRedis({ password: 'only for this test', args: ['--tls-port', String(port), ...files, ...trust] })
  url = `rediss://:${encodeURIComponent('only for this test')}@localhost:${port}`
})
afterAll(async () => {
  await server?.stop()
  certificate?.[Symbol.dispose]()
})

describe('TLS', () => {
  it('carries leases and messages to a server whose certificate is trusted', async () => {
    const provider = openProvider({ url, tls: { ca: certificate.certificate } })
    try {
      fenceOf((await provider.leases.acquire([mutex('a')])).answers[0])
      const listening = await provider.leases.listen('me', inbox())
      await listening.close()
    } finally {
      await provider.close()
    }
  })

  it('refuses a server whose certificate is not', async () => {
    const provider = openProvider({ url, connectGraceMs: 500 })
    try {
      const refusal = {
        code: 'PROVIDER_UNAVAILABLE',
        cause: { code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/) },
      }
      await vi.waitFor(() => expect(provider.leases.acquire([mutex('a')])).rejects.toMatchObject(refusal), {
        timeout: 20_000,
      })
    } finally {
      await provider.close()
    }
  })
})
