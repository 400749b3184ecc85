import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(path.join(root, 'docs/reference/errors.md'), 'utf8')
const [codesPart = '', failuresPart = ''] = page.split('## Failures in journals')

/** Product sources of all packages. */
function sources(): string[] {
  return readdirSync(path.join(root, 'packages')).flatMap((name) => {
    const folder = path.join(root, 'packages', name, 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  })
}

const declared = (text: string): readonly (readonly [string, boolean])[] =>
  [...text.matchAll(/defineError\(\s*'([A-Z_]+)',\s*\{ retryable: (true|false) \}/g)].map(
    (match) => [match[1]!, match[2] === 'true'] as const,
  )
const listed = (part: string): Map<string, string> =>
  new Map([...part.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)].map((match) => [match[1]!, match[2]!.trim()]))

describe('the page of errors', () => {
  const all = sources()

  it('lists every code that the packages declare, and no other', () => {
    const inCode = new Set(all.flatMap(declared).map(([code]) => code))
    expect([...listed(codesPart).keys()].sort()).toEqual([...inCode].sort())
  })

  it('says of each whether it may be tried again, as the code does', () => {
    const retryable = new Map(all.flatMap(declared))
    for (const [code, again] of listed(codesPart))
      expect(`${code} ${again}`).toBe(`${code} ${retryable.get(code) === true ? 'yes' : 'no'}`)
  })

  it('lists only failures that the code can write', () => {
    const text = all.join('\n')
    for (const code of listed(failuresPart).keys()) expect(text).toContain(`'${code}'`)
  })
})
