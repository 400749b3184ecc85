import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { aptInstaller, locatorFor } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runIn } from './open-cli.ts'

const script = async (shell: string): Promise<string> => {
  const ran = await runIn(tmpdir(), {}, ['completion', shell])
  expect([ran.code, ran.err]).toEqual([0, ''])
  return ran.out
}

const askZsh = fileURLToPath(new URL('ask-zsh.zsh', import.meta.url))
/** What may follow: nouns, verbs under every name of a noun, and options, also after values. */
const questions: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['lockstep inst', ['instances']],
  ['lockstep instances ca', ['cancel']],
  ['lockstep instance wa', ['watch']],
  ['lockstep workflow ru', ['run']],
  ['lockstep instances start order --in', ['--input']],
  ['lockstep move --d', ['--data-dir', '--database-url', '--dry-run']],
  ['lockstep no-such-thing x', []],
]

describe('completion', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'lockstep-completion-'))
    const isThere = (): boolean => ['zsh', 'fish'].every((shell) => locatorFor(process.env.PATH)(shell) !== undefined)
    const installer = aptInstaller()
    if (!isThere() && installer.unable() === undefined)
      await installer.install(['zsh', 'fish'], isThere, () => undefined).catch(() => undefined)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const wordsOf = (text: string): string[] => text.split('\n').filter((word) => word !== '')
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env.PATH, HOME: folder },
    })

  it('offers in zsh what may follow, sourced and from a folder of functions', async (context) => {
    const zsh = locatorFor(process.env.PATH)('zsh')
    if (zsh === undefined) return context.skip('there is no zsh, and it cannot be installed here')
    mkdirSync(path.join(folder, 'functions'))
    const file = path.join(folder, 'functions', '_lockstep')
    writeFileSync(file, await script('zsh'))
    const offered = (before: string, line: string): string[] => {
      const caught = path.join(folder, 'caught')
      writeFileSync(caught, '')
      run(zsh, ['-f', askZsh, before, caught, line])
      return wordsOf(readFileSync(caught, 'utf8')).sort()
    }
    const begin = 'autoload -Uz compinit && compinit -D -u'
    for (const [line, words] of questions)
      expect([line, offered(`${begin}; source ${file}`, line)]).toEqual([line, words])
    // The first Tab must do, not only the second.
    expect(offered(`fpath=(${path.dirname(file)} $fpath); ${begin}`, 'lockstep inst')).toEqual(['instances'])
  })

  it('offers in fish what may follow', async (context) => {
    const fish = locatorFor(process.env.PATH)('fish')
    if (fish === undefined) return context.skip('there is no fish, and it cannot be installed here')
    const file = path.join(folder, 'lockstep.fish')
    writeFileSync(file, await script('fish'))
    for (const [line, words] of questions) {
      const said = run(fish, ['--no-config', '-c', `source ${file}; complete -C '${line}'`])
      const offered = wordsOf(said).map((each) => each.split('\t')[0]!)
      expect([line, offered.sort()]).toEqual([line, words])
    }
  })

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
