import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** An OpenID provider in this process: its document, its keys, and whatever tokens a test wants, good or forged. */
export interface TestIssuer {
  readonly url: string
  /** Requests for its keys so far. */
  readonly keyRequests: () => number
  readonly publicKeyText: string
  sign(claims: JWTPayload, header?: object, key?: CryptoKey | Uint8Array): Promise<string>
  /** Answers nothing any more until it is told to. */
  down(isDown: boolean): void
  close(): void
}

export async function openIssuer(): Promise<TestIssuer> {
  let isDown = false
  let requests = 0
  const current = { kid: 'key-1', ...(await generateKeyPair('RS256', { extractable: true })) }
  const server: Server = createServer((request, response): void => {
    if (isDown) return void response.writeHead(503).end()
    response.setHeader('content-type', 'application/json')
    if (request.url === '/.well-known/openid-configuration')
      return void response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }))
    requests += 1
    void exportJWK(current.publicKey).then((jwk) =>
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: current.kid, alg: 'RS256', use: 'sig' }] })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    keyRequests: () => requests,
    publicKeyText: JSON.stringify(await exportJWK(current.publicKey)),
    sign: (claims, header = {}, key = current.privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: current.kid, typ: 'at+jwt', ...header }).sign(key),
    down: (value) => {
      isDown = value
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
