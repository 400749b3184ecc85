import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKind, unmapped } from './address-kind.ts'
import { parseAllowList } from './allow-list.ts'

const corpus: Readonly<Record<string, readonly string[]>> = {
  global: [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.1.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
  ],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
  ],
  'link-local': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.169.254'],
  reserved: [
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:a00:1::1',
    '3fff::1',
    'ff02::1',
    '::7f00:1',
    '5f00::1',
  ],
}

describe('the kind of an address', () => {
  it.each(Object.entries(corpus).flatMap(([kind, list]) => list.map((address) => [address, kind] as const)))(
    '%s is %s',
    (address, kind) => {
      expect(addressKind(address)).toBe(kind)
    },
  )

  it('is the same for an address of the old kind inside one of the new', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressKind(`::ffff:${address}`)).toBe(addressKind(address))
        expect(unmapped(`[::FFFF:${address}]`)).toBe(address)
      }),
    )
  })

  it('is never one of the public network for one that is neither in 2000::/3 nor mapped', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(new URL(`http://[${address}]`).hostname.slice(1).split(':')[0] || '0', 16)
        if (first >> 13 !== 1 && unmapped(address).includes(':')) expect(addressKind(address)).not.toBe('global')
      }),
    )
  })
})

describe('the list of what is allowed', () => {
  const allow = parseAllowList(['10.1.0.0/16', '::1', '169.254.169.254', 'Billing.internal', '*.svc.local'])
  const allows = (host: string, address: string) => allow.allows(host, address, addressKind(address))

  it('takes networks and addresses, in every spelling', () => {
    expect(allows('x', '10.1.2.3')).toBe(true)
    expect(allows('x', '::ffff:10.1.2.3')).toBe(true)
    expect(allows('x', '10.2.0.1')).toBe(false)
    expect(allows('x', '0:0:0:0:0:0:0:1')).toBe(true)
    expect(allows('x', '169.254.169.254')).toBe(true)
  })

  it('takes names, which open private places but not the ones that hold keys', () => {
    expect(allows('billing.internal', '192.168.0.9')).toBe(true)
    expect(allows('billing.internal', '127.0.0.1')).toBe(true)
    expect(allows('a.b.svc.local', '10.9.9.9')).toBe(true)
    expect(allows('svc.local', '10.9.9.9')).toBe(false)
    expect(allows('evilsvc.local', '10.9.9.9')).toBe(false)
    expect(allows('billing.internal', '169.254.169.253')).toBe(false)
    expect(allows('billing.internal', '0.0.0.0')).toBe(false)
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0/8',
    'host:80',
    'http://host',
    '',
    '*',
    '*.',
    '10.0.0.0/8/8',
    '::1/129',
  ])('refuses %j', (entry) => {
    expect(() => parseAllowList([entry])).toThrow(/outbound\.allow/)
  })
})
