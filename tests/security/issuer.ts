import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** An OpenID provider in this process: its document, its keys, and whatever tokens a test wants, good or forged. */
export interface TestIssuer {
  readonly url: string
  /** Requests for its keys so far. */
  readonly keyRequests: () => number
  readonly publicKeyText: string
  sign(claims: JWTPayload, header?: object, key?: CryptoKey | Uint8Array): Promise<string>
  /** What a person who agrees sends the browser back with: a code for these claims, to be exchanged once. */
  consent(asked: URL, claims: JWTPayload, more?: object): { readonly code: string; readonly state: string }
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
      return void response.end(
        JSON.stringify({
          ...{ issuer: url, jwks_uri: `${url}/keys` },
          ...{ authorization_endpoint: `${url}/authorize?tenant=main`, token_endpoint: `${url}/token` },
        }),
      )
    if (request.url === '/token') return void exchange(request, response)
    requests += 1
    void exportJWK(current.publicKey).then((jwk) =>
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: current.kid, alg: 'RS256', use: 'sig' }] })),
    )
  })
  const codes = new Map<string, { readonly asked: URLSearchParams; readonly token: Promise<string> }>()
  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const given = new URLSearchParams(Buffer.concat(chunks).toString())
    const kept = codes.get(given.get('code') ?? '')
    codes.delete(given.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood =
      kept !== undefined &&
      kept.asked.get('code_challenge') === challenge &&
      ['client_id', 'redirect_uri'].every((name) => kept.asked.get(name) === given.get(name))
    if (!isGood) return void response.writeHead(400).end('{"error":"invalid_grant"}')
    response.end(JSON.stringify({ id_token: await kept.token, access_token: 'opaque', token_type: 'Bearer' }))
  }
  const sign: TestIssuer['sign'] = (claims, header = {}, key = current.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: current.kid, typ: 'at+jwt', ...header }).sign(key)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    keyRequests: () => requests,
    publicKeyText: JSON.stringify(await exportJWK(current.publicKey)),
    sign,
    consent: ({ searchParams: asked }, claims, more = {}) => {
      const code = randomBytes(16).toString('hex')
      const token = sign({ nonce: asked.get('nonce'), ...claims, ...more }, { typ: 'JWT' })
      codes.set(code, { asked, token })
      return { code, state: asked.get('state') ?? '' }
    },
    down: (value) => {
      isDown = value
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
