import { describe, expect, it } from 'vitest'
import { contentPolicy, studioPage } from './studio-page.ts'

const built = '<head><base href="/" /><meta name="csp-nonce" content="" /></head>'

describe('the page of Studio', () => {
  it('names where it is served and what may style it', () => {
    expect(studioPage(built, '/x/y', 'n1')).toBe(
      '<head><base href="/x/y/" /><meta name="csp-nonce" content="n1" /></head>',
    )
    expect(studioPage(built, '', 'n1')).toContain('<base href="/" />')
  })

  it('may not run what is written into it', () => {
    const policy = contentPolicy('n1')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self' 'nonce-n1'")
    expect(policy).not.toContain('unsafe')
  })
})
