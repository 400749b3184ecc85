import { describe, expect, it } from 'vitest'
import { requireHost, secretHost } from './secret-hosts.ts'

describe('a host of a secret', () => {
  it.each([
    ['api.example.org', 'api.example.org'],
    ['API.Example.org', 'api.example.org'],
    ['*.example.org', '*.example.org'],
    ['api.example.org:8443', 'api.example.org:8443'],
    ['api.example.org:80', 'api.example.org:80'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['127.0.0.1:4400', '127.0.0.1:4400'],
    ['[::1]', '[::1]'],
    ['[::1]:8080', '[::1]:8080'],
  ])('%s is kept as %s', (text, kept) => {
    expect(secretHost(text)).toBe(kept)
  })

  it.each([
    '',
    '*',
    '*.',
    '*.10.0.0.1',
    '*.[::1]',
    'https://a.example',
    'a.example/b',
    'u@a.example',
    'a b',
    'a.*.org',
    'a:99999',
  ])('%j is none', (text) => {
    expect(secretHost(text)).toBeUndefined()
  })
})

describe('a secret', () => {
  const refusal = (hosts: readonly string[], to: string | undefined): string | undefined => {
    try {
      requireHost('token', hosts, to)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each([
    [[], undefined],
    [[], 'https://anywhere.example'],
    [['api.example.org'], 'https://api.example.org/v1?x=1'],
    [['api.example.org'], 'https://API.EXAMPLE.ORG:8443/'],
    [['api.example.org:443'], 'https://api.example.org/'],
    [['*.example.org'], 'https://deep.api.example.org/'],
    [['other.example', '[::1]'], 'http://[::1]:8080/'],
  ])('for %j may go to %s', (hosts, to) => {
    expect(refusal(hosts, to)).toBeUndefined()
  })

  it.each([
    ['https://evil.example/?api.example.org', 'not to evil.example'],
    ['https://api.example.org.evil.example/', 'not to api.example.org.evil.example'],
    ['https://api.example.org@evil.example/', 'not to evil.example'],
    ['https://xapi.example.org/', 'not to xapi.example.org'],
    ['https://example.org\\.evil.example/', 'not to example.org'],
    ['nowhere', 'not to what is no URL'],
    [undefined, 'does not say where it sends it'],
  ])('for one host does not go to %s', (to, words) => {
    expect(refusal(['api.example.org'], to)).toContain('Secret "token" may be sent to api.example.org alone')
    expect(refusal(['api.example.org'], to)).toContain(words)
  })

  it('for names below one does not go to that one, nor to another port than was said', () => {
    expect(refusal(['*.example.org'], 'https://example.org')).toContain('not to example.org')
    expect(refusal(['*.example.org'], 'https://badexample.org')).toContain('not to badexample.org')
    expect(refusal(['a.example:8443'], 'https://a.example')).toContain('not to a.example')
  })
})
