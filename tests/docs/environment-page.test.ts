import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import { environmentNames } from '../../packages/lockstep/src/options/raw-options.ts'

const page = readFileSync(new URL('../../docs/reference/environment.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \|(.*?) \| .+ \|$/gm)].map(
  ([, variable = '', option = '', fallback = '']) => ({ variable, option, fallback: fallback.trim() }),
)

describe('the page of the options of a node', () => {
  it('has every option with its variable, and no other', () => {
    const documented = rows.map(({ option, variable }) => [option, variable])
    expect(documented.sort()).toEqual(Object.entries(environmentNames).sort())
  })

  it('tells the defaults that numbers and words have', () => {
    const { logLevels: _, ...resolved } = resolveNodeOptions({})
    const texts: Readonly<Record<string, unknown>> = { ...resolved, basePath: resolved.basePath || '/' }
    const told = rows.filter(({ option, fallback }) => /^`[\w.,/-]+`$/.test(fallback) && option in texts)
    const say = (value: unknown): string =>
      typeof value === 'boolean' ? (value ? 'on' : 'off') : Array.isArray(value) ? value.join(',') : String(value)
    expect(told.length).toBeGreaterThan(15)
    expect(told.map(({ option, fallback }) => [option, fallback])).toEqual(
      told.map(({ option }) => [option, `\`${say(texts[option])}\``]),
    )
  })
})
