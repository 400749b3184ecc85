import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpRequest, httpClient } from '../../packages/engine/src/outbound/http/http-client.ts'
import { openRebindingDns } from './rebinding-dns.ts'

let inside: Server
let port: number
const reached: string[] = []
beforeAll(async () => {
  inside = createServer((request, response) => {
    reached.push(String(request.headers.host))
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to')
    if (to !== null) response.writeHead(302, { location: to }).end()
    else if (request.url === '/leave') response.writeHead(302, { location: `http://rebind.example:${port}/keys` }).end()
    else response.end('the keys of the house')
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  port = (inside.address() as AddressInfo).port
})
afterAll(() => {
  inside.closeAllConnections()
  inside.close()
})

const request = (url: string, timeoutMs = 60_000): HttpRequest => ({
  ...{
    method: 'GET',
    url: new URL(url),
    headers: {},
    body: undefined,
    maxBytes: 1_000,
    timeoutMs,
    followRedirects: true,
  },
  ...{ sensitive: [], shownUrl: url, signal: new AbortController().signal },
})

/** This machine, its neighbours and its cloud, as addresses are written down to slip through. */
const addresses = [
  ...['127.0.0.1', '127.1', '127.255.255.255', '2130706433', '0x7f000001', '0x7f.0.0.1', '017700000001', '0177.0.0.1'],
  ...[
    '0',
    '0.0.0.0',
    '0.0.0.1',
    '10.0.0.1',
    '10.255.255.255',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
  ],
  ...['192.168.255.255', '3232235777', '100.64.0.1', '100.127.255.255', '169.254.169.254', '169.254.0.1', '2852039166'],
  ...[
    '0xa9fea9fe',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
  ],
  ...[
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
  ],
  ...[
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::7f00:1]',
    '[fe80::1]',
  ],
  ...[
    '[febf::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fdff::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
  ],
  ...[
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[100::1]',
    '[3fff::1]',
    '[5f00::1]',
  ],
]

/** Loopback in ways that readers of URLs see differently. */
const disguises = [
  'http://localhost:PORT/',
  'http://LocalHost.:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.0.1:PORT/',
  'http://0177.1:PORT/',
  'http://0x7F.1:PORT/',
  'http://127\u30020\u30020\u30021:PORT/',
  'http://127\uff0e0\uff0e0\uff0e1:PORT/',
  'http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:PORT/',
  'http://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://example.org@127.0.0.1:PORT/',
  'http://example.org:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT#@example.org/',
  'http://127.0.0.1:PORT?@example.org/',
  'http://127.0.0.1:PORT\\@example.org/',
  'http:127.0.0.1:PORT/',
  'http:///127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT/',
  'http://127.0.0.\t1:PORT/',
  'http://[0:0:0:0:0:ffff:7f00:1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
]

const detours = [
  'http://127.0.0.1:PORT/keys',
  '//127.0.0.1:PORT/keys',
  'http://2130706433:PORT/keys',
  'http://[::ffff:127.0.0.1]:PORT/keys',
  'http://start.example@127.0.0.1:PORT/keys',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_keys',
  'data:text/plain,keys',
  'javascript:keys',
]

describe('a request of a step', () => {
  it('has sixty addresses and more to try', () => {
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses.length).toBeGreaterThanOrEqual(60)
  })

  it.each(addresses)('does not reach %s', async (address) => {
    const client = httpClient({ clock: systemClock })
    await expect(client.send(request(`http://${address}:${port}/`))).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' })
    expect(reached).toEqual([])
  })

  it.each(disguises)('does not reach %s', async (disguise) => {
    const client = httpClient({ clock: systemClock })
    const url = disguise.replace('PORT', String(port))
    await expect(client.send(request(url))).rejects.toMatchObject({ code: 'OUTBOUND_BLOCKED' })
    expect(reached).toEqual([])
  })

  it.each(detours)('is not led to %s by a host that it may reach', async (detour) => {
    const dns = await openRebindingDns([['127.0.0.1']])
    const client = httpClient({ clock: systemClock, allow: ['start.example'], resolveHost: dns.resolveHost })
    const to = encodeURIComponent(detour.replace('PORT', String(port)))
    await expect(client.send(request(`http://start.example:${port}/?to=${to}`))).rejects.toMatchObject({
      code: expect.stringMatching(/^(OUTBOUND_BLOCKED|HTTP_RESPONSE_UNREADABLE|HTTP_FAILED)$/),
    })
    expect(reached.splice(0)).toEqual([`start.example:${port}`])
    dns.close()
  })

  it('does not reach a name that leads inside, alone or among others', async () => {
    for (const answers of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['93.184.216.34', '169.254.169.254']]) {
      const dns = await openRebindingDns([answers])
      const client = httpClient({ clock: systemClock, resolveHost: dns.resolveHost })
      await expect(client.send(request(`http://rebind.example:${port}/`))).rejects.toMatchObject({
        code: 'OUTBOUND_BLOCKED',
      })
      dns.close()
    }
    expect(reached).toEqual([])
  })

  it('goes to the address that was checked, when the name leads inside a moment later', async () => {
    // Nothing answers at the first one: what matters is where nobody was asked.
    const dns = await openRebindingDns([['192.0.2.77'], ['127.0.0.1']])
    const client = httpClient({ clock: systemClock, allow: ['192.0.2.0/24'], resolveHost: dns.resolveHost })
    await expect(client.send(request(`http://rebind.example:${port}/`, 1_500))).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMED_OUT|HTTP_FAILED)$/),
    })
    expect([dns.asked(), reached]).toEqual([1, []])
    dns.close()
  })

  it('is checked again at a redirect, by what the name is then', async () => {
    const dns = await openRebindingDns([['127.0.0.1'], ['127.0.0.1']])
    const open = httpClient({ clock: systemClock, allow: ['start.example'], resolveHost: dns.resolveHost })
    await expect(open.send(request(`http://start.example:${port}/leave`))).rejects.toMatchObject({
      code: 'OUTBOUND_BLOCKED',
      details: { host: 'rebind.example' },
    })
    expect([dns.asked(), reached]).toEqual([2, [`start.example:${port}`]])
    dns.close()
  })
})
