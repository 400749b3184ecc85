import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, type Inline, readInline, readMarkdown } from './markdown.ts'

const words = (parts: readonly Inline[]): string =>
  parts.map((part) => ('text' in part ? part.text : words(part.parts))).join('')

const textOf = (block: Block): string => {
  if (block.kind === 'rule') return ''
  if (block.kind === 'code') return block.text
  if (block.kind === 'heading') return words(block.parts)
  return (block.kind === 'list' ? block.items : block.lines).map(words).join('\n')
}

describe('the Markdown of notes', () => {
  it('reads headings, lists, quotes, code and rules', () => {
    const text = '# Saga\nEach step\nundoes itself.\n\n- one\n- two\n1. first\n> said\n---\n```\n# not a heading\n```'
    expect(readMarkdown(text).map(({ kind }) => kind)).toEqual([
      ...['heading', 'paragraph', 'list', 'list', 'quote', 'rule', 'code'],
    ])
    expect(readMarkdown(text).map(textOf)).toEqual([
      ...['Saga', 'Each step\nundoes itself.', 'one\ntwo', 'first', 'said', '', '# not a heading'],
    ])
  })

  it('reads emphasis, code and links, and leaves names with underlines alone', () => {
    expect(readInline('**very _much_** `a*b*` snake_case_name').map(({ kind }) => kind)).toEqual([
      ...['strong', 'text', 'code', 'text'],
    ])
    expect(readInline('[docs](https://example.org/a) https://example.org/b')).toMatchObject([
      { kind: 'link', to: 'https://example.org/a' },
      { kind: 'text', text: ' ' },
      { kind: 'link', to: 'https://example.org/b' },
    ])
  })

  it('leads nowhere but to the web and to mail boxes', () => {
    for (const to of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      '//example.org',
      'file:///x',
    ])
      expect(readInline(`[go](${to})`)).toEqual([{ kind: 'text', text: `[go](${to})` }])
  })

  it('takes markup for the text that it is', () => {
    const markup = '<img src=x onerror="alert(1)"><script>alert(1)</script>'
    expect(readMarkdown(markup).map(textOf)).toEqual([markup])
  })

  it('ends for any text, and loses no word', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '*', '_', '`', '#', '-', '1.', '>', '[', '](', ')', '~'),
        ),
        (all) => {
          const kept = (text: string): number => text.split('a').length
          const text = all.join('')
          // The word behind the opening of a code block names its language.
          if (!text.includes('```')) expect(kept(readMarkdown(text).map(textOf).join('\n'))).toBe(kept(text))
          else readMarkdown(text)
        },
      ),
    )
  })
})
