import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atTerminal, terminalMaker } from './at-terminal.ts'
import { openCli, type TestCli } from './open-cli.ts'

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
  await cli.write('waiter.json', {
    id: 'waiter',
    activities: [{ id: 'a', type: 'wait-for-event', inputs: { event: 'go' } }],
  })
  await cli.run(['definitions', 'push', 'waiter.json', '--publish'])
  await cli.write('a-file', 'x')
  mkdirSync(path.join(cli.folder, '.lockstep', 'pgdata'), { recursive: true })
  writeFileSync(path.join(cli.folder, '.lockstep', 'pgdata', 'PG_VERSION'), '16\n')
})
afterAll(() => cli[Symbol.asyncDispose]())

const started = async (): Promise<string> => (await cli.run(['instances', 'start', 'waiter', '-o', 'id'])).out.trim()
const count = async (): Promise<number> => (await cli.run(['instances', 'list', '--all', '--json'])).json.length

describe('slips end with a sentence and no trace', () => {
  it.each([
    ['a backup into a folder that is not there', ['backup', 'nodir/x.tgz'], 2, /There is no folder nodir/],
    ['a backup over a folder', ['backup', '.', '--force'], 5, /it is a folder, name a file/],
    ['a restore into a file', ['restore', 'x', '--data-dir', 'a-file'], 5, /it is a file, name a folder/],
    ['init of a file', ['init', 'a-file'], 5, /a-file is a file: name a folder/],
    ['init below a file', ['init', 'a-file/below'], 2, /a-file.* cannot be used .*a folder is needed/],
    ['pull into a file', ['definitions', 'pull', '--into', 'a-file'], 2, /--into a-file is a file/],
    ['an alias of nothing in a workflow', ['definitions', 'push', '-'], 2, /^lockstep: -: Unresolved alias.*b/],
    ['an alias of nothing in a schedule', ['schedules', 'apply', '-'], 2, /Unresolved alias/],
    ['an alias of nothing in a preview', ['schedules', 'preview', '-'], 2, /Unresolved alias/],
    ['a database that is none', ['migrate', '--database-url', 'notaurl'], 2, /databaseUrl/],
    ['a definition that --wait took', ['workflow', 'run', '--wait', 'waiter'], 2, /--wait took "waiter"/],
  ])('%s', async (_, words, code, message) => {
    const ran = await cli.run(words, { input: 'a: *b\n' })
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.err).toMatch(message)
    expect(ran.err).not.toMatch(/\n\s+at |unexpected failure/)
  })

  it('init writes a path that can be typed', async () => {
    expect((await cli.run(['init', "my pro'ject"])).out).toContain(`cd 'my pro'\\''ject' && lockstep server`)
  })
})

describe('waiting for an instance', () => {
  it('reads the duration before it starts anything', async () => {
    const before = await count()
    const ran = await cli.run(['instances', 'start', 'waiter', '--wait', 'soon'])
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--wait takes a duration such as 30s')])
    expect(await count()).toBe(before)
  })
})

describe('several at once', () => {
  it('are one list for programs, and one is itself', async () => {
    const ids = [await started(), await started()]
    const json = { environment: { LOCKSTEP_OUTPUT: '' } }
    for (const verb of ['pause', 'continue', 'cancel']) {
      const many = await cli.run(['instances', verb, ...ids], json)
      expect([verb, Array.isArray(many.json), many.json.length]).toEqual([verb, true, 2])
    }
    expect((await cli.run(['instances', 'terminate', await started(), '--yes'], json)).json.outcome).toBe('accepted')
  })

  it('tell what was done before one failed', async () => {
    const id = await started()
    const ran = await cli.run(['instances', 'pause', id, 'nothing'], { environment: { LOCKSTEP_OUTPUT: 'json' } })
    expect([ran.code, ran.json.length]).toEqual([6, 1])
  })
})

describe('looks of each stream', () => {
  it('come from that stream', async () => {
    const verbose = ['nodes', 'list', '--verbose']
    const outOnly = await cli.run(verbose, { isTerminal: true, errIsTerminal: false })
    expect([outOnly.out.includes('\x1b'), outOnly.err.includes('\x1b')]).toEqual([true, false])
    const errOnly = await cli.run(verbose, { isTerminal: false, errIsTerminal: true })
    expect([errOnly.out.includes('\x1b'), errOnly.err.includes('\x1b')]).toEqual([false, true])
  })
})

describe('auth login', () => {
  it('replaces a key that is kept, keeps it where none is given, and signs in to the same server again', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'lockstep-home-'))
    const environment = { XDG_CONFIG_HOME: home, LOCKSTEP_URL: '' }
    const kept = async () => JSON.parse(await readFile(path.join(home, 'lockstep', 'profiles.json'), 'utf8')).profiles
    const login = (words: readonly string[], input: string) =>
      cli.run(['auth', 'login', ...words], { environment, input })
    expect((await login(['prod', '--url', cli.url], 'k1\n')).code).toBe(0)
    expect((await login(['prod', '--url', cli.url], 'k2\n')).code).toBe(0)
    expect((await kept()).prod).toEqual({ url: cli.url, apiKey: 'k2' })
    expect((await login(['other', '--url', `${cli.url}/`], 'k3\n')).code).toBe(0)
    expect((await login(['prod'], '')).code).toBe(0)
    expect((await kept()).prod).toEqual({ url: cli.url, apiKey: 'k2' })
  })
})

describe('verify-cluster', () => {
  it('takes what all commands take, and judges the form before it begins', async () => {
    const help = (await cli.run(['verify-cluster', '--help'])).out
    for (const flag of ['--api-key', '--profile', '--output', '--quiet']) expect(help).toContain(flag)
    const ran = await cli.run(['verify-cluster', '-o', 'xml'])
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('"xml" is no form of output')])
    const nobody = await cli.run(['verify-cluster', '--profile', 'nobody'])
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('There is no profile "nobody"')])
  })
})

describe('samples remove', () => {
  it('says what would go, and asks', async () => {
    expect((await cli.run(['samples', 'remove', '--dry-run', '--json'])).json).toEqual({
      retracted: [],
      terminated: 0,
      dryRun: true,
    })
  })
})

describe('at a real terminal', () => {
  const bin = fileURLToPath(new URL('../../packages/lockstep/bin/lockstep.mjs', import.meta.url))
  const typed = (words: string, after: string, keys: string) =>
    atTerminal(`'${process.execPath}' '${bin}' ${words}`, [{ after, keys }], {
      folder: cli.folder,
      environment: { HOME: cli.folder, LOCKSTEP_URL: cli.url },
    })

  it('a question ends with Ctrl-C and Ctrl-D as people expect', async (context) => {
    if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
    const interrupted = await typed('keys revoke k1', '[y/N] ', '\x03')
    expect([interrupted.code, interrupted.screen]).toEqual([130, expect.not.stringContaining('    at ')])
    const closed = await typed('keys revoke k1', '[y/N] ', '\x04')
    expect([closed.code, closed.screen]).toEqual([2, expect.stringContaining('Nothing was done')])
  })

  it('a key that is typed does not show', async (context) => {
    if (terminalMaker() === undefined) return context.skip('there is nothing that makes a terminal')
    const { code, screen } = await typed('auth login shy', 'Key for ', 'hunter2\r')
    expect([code, screen.includes('hunter2')]).toEqual([0, false])
    expect(existsSync(path.join(cli.folder, '.config', 'lockstep', 'profiles.json'))).toBe(true)
  })
})
