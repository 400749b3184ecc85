import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { aptInstaller, locatorFor } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atTerminal, terminalMaker } from './at-terminal.ts'
import { openCli, runIn, type TestCli } from './open-cli.ts'

const script = async (shell: string): Promise<string> => {
  const ran = await runIn(tmpdir(), {}, ['completion', shell])
  expect([ran.code, ran.err]).toEqual([0, ''])
  return ran.out
}

const askZsh = fileURLToPath(new URL('ask-zsh.zsh', import.meta.url))
const bin = fileURLToPath(new URL('../../packages/lockstep/bin/lockstep.mjs', import.meta.url))
const waits = (id: string) => ({ id, activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] })

/** What may follow: nouns, verbs under every name of a noun, and options, also after values. */
const questions: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['lockstep inst', ['instances']],
  ['lockstep instances ca', ['cancel']],
  ['lockstep instance wa', ['watch']],
  ['lockstep workf', ['workflow']],
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

  describe('in bash', () => {
    /** Types a line and Tab: what is offered then, and the line as it is afterwards. */
    const ask = async (line: string, names: readonly string[] = []) => {
      const own = path.join(folder, 'bash')
      const programs = path.join(own, 'bin')
      mkdirSync(programs, { recursive: true })
      writeFileSync(path.join(own, 'names'), names.map((name) => `${name}\n`).join(''))
      writeFileSync(path.join(programs, 'lockstep'), `#!/bin/sh\ncat '${path.join(own, 'names')}'\n`)
      chmodSync(path.join(programs, 'lockstep'), 0o755)
      writeFileSync(
        path.join(own, 'rc'),
        `${await script('bash')}
        asked() { _lockstep "$@"; printf '%s\\n' "\${COMPREPLY[@]}" > offered; }
        told() { printf '%s' "$READLINE_LINE" > line; exit; }
        complete -F asked lockstep
        bind -x '"\\C-g": told'
        PS1='ready> '`,
      )
      await atTerminal('bash --noprofile --rcfile rc -i', [{ after: 'ready> ', keys: `${line}\t\x07` }], {
        folder: own,
        environment: { HOME: own, PATH: `${programs}:${process.env.PATH}` },
      })
      return {
        offered: wordsOf(readFileSync(path.join(own, 'offered'), 'utf8')).sort(),
        line: readFileSync(path.join(own, 'line'), 'utf8'),
      }
    }

    it('offers what may follow, under every name of a noun, and after values', async (context) => {
      if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
      for (const [line, words] of questions) expect([line, (await ask(line)).offered]).toEqual([line, words])
    })

    it('runs nothing that a name of the server holds', async (context) => {
      if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
      const evil = ['$(touch pwned)', '`touch pwned`', 'a;touch pwned', "it's *", '$HOME']
      for (const typed of ['', '$', "'"]) await ask(`lockstep locks release ${typed}`, evil)
      expect((await ask('lockstep locks release ', evil)).offered).toHaveLength(evil.length)
      for (const name of evil) {
        const { line } = await ask('lockstep locks release ', [name])
        const said = execFileSync('bash', ['-c', `lockstep() { printf %s "$3"; }; ${line}`], {
          cwd: path.join(folder, 'bash'),
          encoding: 'utf8',
        })
        expect(said).toBe(name)
      }
      expect(existsSync(path.join(folder, 'bash', 'pwned'))).toBe(false)
    })

    it('completes names with colons and equals signs, and what was quoted before', async (context) => {
      if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
      const names = ['flow:orders:42', 'flow:other', 'a=b=c', 'my lock']
      const line = async (typed: string) => (await ask(`lockstep locks release ${typed}`, names)).line.trimEnd()
      expect(await line('flow:or')).toBe('lockstep locks release flow:orders:42')
      expect(await line('flow:orders:')).toBe('lockstep locks release flow:orders:42')
      expect(await line('fl')).toBe('lockstep locks release flow:o')
      expect(await line('a=b')).toBe('lockstep locks release a=b=c')
      expect(await line('my\\ ')).toBe('lockstep locks release my\\ lock')
    })

    it('offers the other word for definitions', async (context) => {
      if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
      expect((await ask('lockstep workf')).line).toBe('lockstep workflow ')
    })
  })

  describe('of what only a node knows', () => {
    let cli: TestCli
    let programs: string
    let instance: string
    beforeAll(async () => {
      cli = await openCli()
      for (const id of ['orders', 'other'])
        await cli.run(['definitions', 'push', await cli.write(`${id}.json`, waits(id)), '--publish'])
      instance = (await cli.run(['instances', 'start', 'orders'])).out.trim()
      programs = path.join(folder, 'bin')
      mkdirSync(programs)
      writeFileSync(path.join(programs, 'lockstep'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
      chmodSync(path.join(programs, 'lockstep'), 0o755)
    })
    afterAll(() => cli[Symbol.asyncDispose]())

    /** The node is in this process: it has to go on while the shell asks. */
    const ask = async (program: string, args: readonly string[]): Promise<string> => {
      const env = { PATH: `${programs}:${process.env.PATH}`, HOME: folder, LOCKSTEP_URL: cli.url }
      return (await promisify(execFile)(program, args, { cwd: folder, timeout: 60_000, env })).stdout
    }
    /** Once for each argument, or where an argument takes many; never in the place of an option, nor of something new. */
    const live = (instance: string): readonly (readonly [line: string, offered: readonly string[]])[] => [
      ['lockstep workflow get o', ['orders', 'other']],
      ['lockstep instances start or', ['orders']],
      ['lockstep why wfi_', [instance]],
      [`lockstep instances cancel ${instance} wfi_`, [instance]],
      ['lockstep workflow diff orders o', []],
      ['lockstep workflow get --ur', ['--url']],
      ['lockstep workflow get --profile nobody o', []],
      ['lockstep workflow get --url http://127.0.0.1:1 o', []],
      ['lockstep keys create orde', []],
    ]

    /** What each shell offers at the end of a line. */
    const offering: Readonly<Record<string, (line: string) => Promise<string>>> = {
      bash: async (line) => {
        const said = line.split(' ')
        const asked = `COMP_LINE='${line}'; COMP_WORDS=(${said.join(' ')}); COMP_CWORD=${said.length - 1}; _lockstep lockstep '${said.at(-1)}'`
        return ask('bash', ['-c', `source live.bash; ${asked}; printf '%s\\n' "\${COMPREPLY[@]}"`])
      },
      fish: (line) => ask('fish', ['--no-config', '-c', `source live.fish; complete -C '${line}'`]),
      zsh: async (line) => {
        const caught = path.join(folder, 'caught-live')
        writeFileSync(caught, '')
        await ask('zsh', ['-f', askZsh, 'autoload -Uz compinit && compinit -D -u; source live.zsh', caught, line])
        return readFileSync(caught, 'utf8')
      },
    }

    it.for(['bash', 'zsh', 'fish'])('asks it in %s', async (shell, context) => {
      if (locatorFor(process.env.PATH)(shell) === undefined)
        return context.skip(`there is no ${shell}, and it cannot be installed here`)
      writeFileSync(path.join(folder, `live.${shell}`), await script(shell))
      for (const [line, words] of live(instance)) {
        const offered = wordsOf(await offering[shell]!(line)).map((each) => each.split('\t')[0]!)
        expect([line, offered.sort()]).toEqual([line, words])
      }
    })
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
