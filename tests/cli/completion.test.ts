import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runIn } from './open-cli.ts'

const script = async (shell: string): Promise<string> => {
  const ran = await runIn(tmpdir(), {}, ['completion', shell])
  expect([ran.code, ran.err]).toEqual([0, ''])
  return ran.out
}

describe('completion', () => {
  it('offers in bash what may follow, under every name of a noun, and after values', async () => {
    const text = await script('bash')
    const offered = (...words: string[]): string[] => {
      const asked = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _lockstep`
      const out = execFileSync('bash', ['-c', `${text}\n${asked}; printf '%s\\n' "\${COMPREPLY[@]}"`], {
        encoding: 'utf8',
      })
      return out.trim().split('\n')
    }
    expect(offered('lockstep', 'inst')).toEqual(['instances'])
    expect(offered('lockstep', 'instances', 'ca')).toEqual(['cancel'])
    expect(offered('lockstep', 'instance', 'wa')).toEqual(['watch'])
    expect(offered('lockstep', 'workflow', 'ru')).toEqual(['run'])
    expect(offered('lockstep', 'instances', 'start', 'order', '--in')).toEqual(['--input'])
    expect(offered('lockstep', 'move', '--d')).toEqual(['--database-url', '--data-dir', '--dry-run'])
    expect(offered('lockstep', 'no-such-thing', 'x')).toEqual([''])
  })

  it.each(['bash', 'zsh', 'fish'])('knows every command in %s', async (shell) => {
    const text = await script(shell)
    for (const word of ['instances', 'resolve-alike', 'verify-cluster', 'completion', 'dry-run'])
      expect(text).toContain(word)
  })

  it('says which shells it knows', async () => {
    const ran = await runIn(tmpdir(), {}, ['completion', 'csh'])
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('use bash, zsh, fish')])
  })
})
