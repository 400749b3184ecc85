import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openCli, runIn, type TestCli } from './open-cli.ts'

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
})
afterAll(() => cli[Symbol.asyncDispose]())

describe('exit codes', () => {
  it.each([
    ['an unknown noun', ['instence', 'list'], 2, /unknown command 'instence'[\s\S]*Did you mean instance/],
    ['an unknown flag', ['instances', 'list', '--statsu', 'x'], 2, /unknown option '--statsu'[\s\S]*--status/],
    [
      'a slip in another name of a noun',
      ['wrokflow', 'list'],
      2,
      /unknown command 'wrokflow'[\s\S]*Did you mean workflow/,
    ],
    [
      'a missing word',
      ['instances', 'get'],
      2,
      /missing required argument 'id'\n\(run "lockstep instances get --help" for what there is\)/,
    ],
    [
      'an option before its command',
      ['--url', 'http://127.0.0.1:1', 'nodes', 'list'],
      2,
      /unknown option '--url'\n\(options stand behind their command; run "lockstep --help"/,
    ],
    ['a variable without a value', ['instances', 'set', 'wfi_1', 'x'], 2, /A variable takes name=value, not "x"/],
    ['a node that is not there', ['cluster', 'drain', 'nobody'], 4, /No node is called "nobody": there are /],
    ['a word too many', ['nodes', 'list', 'more'], 2, /too many arguments/],
    [
      'a filter nobody knows',
      ['instances', 'list', '-f', 'colour=red'],
      2,
      /"colour=red" cannot be read: use status, definition/,
    ],
    ['a filter that is none', ['instances', 'list', '-f', 'status'], 2, /write name=value/],
    ['JSON that is none', ['events', 'publish', 'x', '--payload', '{by:1}'], 2, /--payload is not JSON.*@file/],
    ['a limit that is none', ['instances', 'list', '--limit', 'many'], 2, /--limit must be a whole number/],
    ['a form of output nobody knows', ['nodes', 'list', '-o', 'xml'], 2, /"xml" is no form of output/],
    ['a file that is not there', ['definitions', 'push', 'nowhere.json'], 2, /nowhere\.json cannot be read/],
    ['an address that is none', ['nodes', 'list', '--url', 'localhost'], 2, /is no address/],
    [
      'something that is not there',
      ['instances', 'get', 'wfi_01900000-0000-7000-8000-000000000000'],
      4,
      /\[INSTANCE_NOT_FOUND\]/,
    ],
    ['an id that is none', ['instances', 'get', 'nothing'], 6, /\[INVALID_ID\]/],
    [
      'a status nobody knows',
      ['instances', 'list', '-f', 'status=odd'],
      6,
      /"status" must be one or more of queued.*\[INVALID_REQUEST\]/,
    ],
    [
      'a server that is not there',
      ['nodes', 'list', '--url', 'http://127.0.0.1:1'],
      7,
      /Nothing answers at http:\/\/127\.0\.0\.1:1.*lockstep server.*\[SERVER_UNREACHABLE\]/,
    ],
  ])('%s', async (_, words, code, message) => {
    const ran = await cli.run(words)
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.err).toMatch(message)
    expect(ran.err).not.toMatch(/\n\s+at /)
  })

  it('tells another program from a node', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const ran = await cli.run(['nodes', 'list', '--url', `http://127.0.0.1:${port}`])
    other.close()
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('is not Lockstep')])
  })

  it('says that somebody is not let in', async () => {
    const seen: (string | undefined)[] = []
    const guard = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(403, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ code: 'FORBIDDEN', detail: 'You may not', status: 403 }))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => guard.once('listening', resolve))
    const { port } = guard.address() as { port: number }
    const url = ['--url', `http://127.0.0.1:${port}`]
    expect(await cli.run(['nodes', 'list', ...url, '--api-key', 'k1'])).toMatchObject({
      code: 3,
      err: 'lockstep: You may not [FORBIDDEN]\n',
    })
    await cli.run(['nodes', 'list', ...url], { environment: { LOCKSTEP_API_KEY: 'k2' } })
    guard.close()
    expect(seen).toEqual(['Bearer k1', 'Bearer k2'])
  })
})

describe('forms of output', () => {
  const to = (form: string) => ({ environment: { LOCKSTEP_OUTPUT: form } })

  it('are a table at a terminal and JSON for programs, unless one is asked for', async () => {
    expect((await cli.run(['nodes', 'list'], to(''))).json).toMatchObject([{ self: true }])
    expect((await cli.run(['nodes', 'list'], { ...to(''), isTerminal: true })).out).toContain('NAME')
    expect((await cli.run(['nodes', 'list', '-o', 'table'], to(''))).out).toMatch(/^NAME/)
    expect((await cli.run(['nodes', 'list', '--json'], to('yaml'))).json).toMatchObject([{ self: true }])
    expect((await cli.run(['nodes', 'list'], to('xml'))).code).toBe(2)
  })

  it('have YAML that reads as the JSON does', async () => {
    const [yaml, json] = [await cli.run(['caches', 'list', '-o', 'yaml']), await cli.run(['caches', 'list', '--json'])]
    const names = (list: { name: string }[]): string[] => list.map(({ name }) => name)
    expect(names(parse(yaml.out))).toEqual(names(json.json))
  })

  it('stream lists and facts as lines', async () => {
    await cli.write('quick.json', { id: 'quick', activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }] })
    await cli.run(['definitions', 'push', 'quick.json', '--publish'])
    const id = (await cli.run(['instances', 'start', 'quick', '-o', 'id'])).out.trim()
    const lines = (await cli.run(['instances', 'watch', id, '-o', 'jsonl'])).out.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).kind).at(-1)).toBe('ended')
    const listed = (await cli.run(['instances', 'list', '-o', 'jsonl'])).out.trim().split('\n')
    expect(listed.map((line) => JSON.parse(line).id)).toContain(id)
  })

  it('are ids of instances where they are about one', async () => {
    await cli.write('waits.json', {
      id: 'waits',
      activities: [{ id: 'a', type: 'wait-for-event', inputs: { event: 'go' } }],
    })
    await cli.run(['definitions', 'push', 'waits.json', '--publish'])
    const id = (await cli.run(['instances', 'start', 'waits', '-o', 'id'])).out.trim()
    await expect.poll(async () => (await cli.run(['instances', 'get', id, '--json'])).json.status).toBe('suspended')
    expect((await cli.run(['why', id, '-o', 'id'])).out).toBe(`${id}\n`)
    expect((await cli.run(['instances', 'resume', id, 'go', '-o', 'id'])).out).toBe(`${id}\n`)
    const { err } = await cli.run(['instances', 'watch', id])
    expect([err.includes('started'), err.includes('null')]).toEqual([true, false])
  })

  it('are of what happened to nodes the latest, however much came before', async () => {
    await cli.db.script(`
      select lockstep_cluster_event('suspected', '01900000-0000-7000-8000-000000000001', 'node-' || n, '{}')
        from generate_series(1, 450) n order by n`)
    const names = async (...words: readonly string[]): Promise<string[]> =>
      (await cli.run(['cluster', 'events', ...words, '--json'])).json.map(({ name }: { name: string }) => name)
    await expect.poll(() => names('--limit', '2')).toEqual(['node-449', 'node-450'])
    expect((await names()).length).toBe(50)
    expect((await names('--all')).length).toBeGreaterThanOrEqual(450)
  })

  it('say nothing beside the data when told to be quiet, and failures all the same', async () => {
    const nothing = ['instances', 'list', '-f', 'definition=nothing']
    expect(await cli.run(nothing)).toMatchObject({ out: '', err: 'No instance fits\n' })
    expect(await cli.run([...nothing, '--quiet'])).toMatchObject({ code: 0, out: '', err: '' })
    expect((await cli.run(['instances', 'get', 'nothing', '--quiet'])).err).toContain('[INVALID_ID]')
    expect((await cli.run(['instances', 'get', '--quiet'])).err).toContain('missing required argument')
  })

  it('say who is asked, and all about a failure, when told to be verbose', async () => {
    const { err } = await cli.run(['instances', 'get', 'nothing', '--verbose'])
    expect(err).toContain(`${cli.url} (LOCKSTEP_URL)`)
    expect(err).toMatch(/"type": "\S*\/problems\/invalid-id"/)
  })
})

describe('looks', () => {
  it('has colours and a clear screen only at a terminal', async () => {
    const plain = await cli.run(['nodes', 'list'])
    expect(plain.out).not.toContain('\x1b')
    const painted = await cli.run(['nodes', 'list'], { isTerminal: true })
    expect(painted.out).toContain('\x1b[')
    const watched = await cli.run(['nodes', 'list', '--watch', '1'], { isTerminal: true, pauses: 2 })
    expect([watched.code, watched.out.split('\x1b[2J').length]).toEqual([130, 4])
  })

  it('obeys no escape that data holds', async () => {
    await cli.write('evil.json', { id: 'evil', name: 'a\x1b[31mb\nc', activities: [] })
    await cli.run(['definitions', 'push', 'evil.json'])
    expect((await cli.run(['definitions', 'list'])).out).toContain('a\\x1b[31mb c')
  })

  it('shows help with examples, and the exchange when asked', async () => {
    const help = await cli.run(['--help'])
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('Examples:')])
    expect((await cli.run(['instances', 'list', '--help'])).out).toContain('--filter')
    expect((await cli.run(['nodes', 'list', '--debug'])).err).toMatch(/^GET http.*\/cluster\/nodes → 200\n/)
  })
})

describe('without a server', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-cli-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('init writes what validate finds sound, once', async () => {
    const made = await runIn(folder, {}, ['init', 'project'])
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringContaining('lockstep definitions push workflows/hello.yaml --publish'),
    ])
    const inside = path.join(folder, 'project')
    expect((await runIn(inside, {}, ['validate', 'workflows/hello.yaml'])).out).toBe(
      'workflows/hello.yaml: workflow hello is sound\n',
    )
    const again = await runIn(folder, {}, ['init', 'project'])
    expect([again.code, again.err]).toEqual([5, expect.stringContaining('exist already: nothing was written')])
    await cli.write('hello.yaml', await readFile(path.join(inside, 'workflows/hello.yaml'), 'utf8'))
    await cli.run(['definitions', 'push', 'hello.yaml', '--publish'])
    const ran = await cli.run(['instances', 'start', 'hello', '--input', '{"name":"you"}', '--wait'])
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('{"greeting":"hello you"}')])
  })

  it('validate names file, line and place of each problem', async () => {
    await cli.write(
      'bad.yaml',
      'id: bad\nactivities:\n  - id: a\n    type: log\n    inputs: { message: 1, colour: red }\n  - id: b\n    type: nope\n',
    )
    const bad = await cli.run(['validate', 'bad.yaml'])
    expect(bad.code).toBe(6)
    expect(bad.out).toMatch(/^bad\.yaml:7:11 error \/activities\/1\/type .*\[UNKNOWN_ACTIVITY_TYPE\]$/m)
    expect(bad.out).toMatch(/^bad\.yaml:5:\d+ error \/activities\/0\/inputs/m)
    await cli.write('broken.json', '{\n  "id": "x",\n  "activities": [\n')
    expect((await cli.run(['validate', 'broken.json'])).out).toMatch(
      /^broken\.json:\d+:\d+ error \/ .*\[UNREADABLE_TEXT\]$/m,
    )
    await cli.write('when.json', { id: 'w', trigger: { cron: '61 * * * *' }, definitionId: 'bad' })
    const when = await cli.run(['validate', 'when.json', '--json'])
    expect([when.code, when.json]).toMatchObject([
      6,
      [{ kind: 'schedule', id: 'w', problems: [{ pointer: '/trigger/cron', line: 1 }] }],
    ])
    expect((await cli.run(['validate', '-'], { input: '' })).out).toContain('The file is empty')
  })
})
