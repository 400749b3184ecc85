import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startPostgres } from '@lockstep/testing/harness'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LockstepProcess } from './run-lockstep.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-start-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const serve = (args: readonly string[] = [], env: Record<string, string> = {}): LockstepProcess =>
  new LockstepProcess(['server', '--port', '0', ...args], { cwd: folder, env })

const health = async (url: string, which: string): Promise<[number, unknown]> => {
  const response = await fetch(`${url}/health/${which}`)
  return [response.status, await response.json()]
}

describe('lockstep server', () => {
  it('comes up embedded in .lockstep, answers, and stops on Ctrl-C', async () => {
    await using node = serve()
    const url = await node.url()
    expect(await health(url, 'live')).toEqual([200, { status: 'live' }])
    expect(await health(url, 'startup')).toEqual([200, { status: 'started' }])
    expect(await health(url, 'ready')).toEqual([200, { status: 'ready', checks: [{ name: 'database', ok: true }] }])
    expect(node.output).toContain('Lockstep is running')
    expect(await readdir(folder)).toEqual(['.lockstep'])
    const { code } = await node.end('SIGINT')
    expect(code).toBe(0)
  })

  it('writes JSON and nothing else to standard output where nobody sits, and says there where it listens', async () => {
    await using node = serve()
    const url = await node.url()
    expect((await node.end('SIGTERM')).code).toBe(0)
    const lines = node.standardOutput.trim().split('\n')
    const told = lines.map((line) => JSON.parse(line) as { readonly msg: string })
    expect(told.filter(({ msg }) => ['listening', 'stopped'].includes(msg))).toEqual([
      expect.objectContaining({ level: 'info', msg: 'listening', url, roles: 'api+worker+scheduler' }),
      expect.objectContaining({ level: 'info', msg: 'stopped' }),
    ])
  })

  it('refuses a second start on one folder, naming the process; after kill -9 the next start works and the data is there', async () => {
    await using first = serve()
    const url = await first.url()
    const created = await fetch(`${url}/api/v1/workflow-definitions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'kept',
        name: 'Kept',
        activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }],
        connections: [],
      }),
    })
    expect(created.status).toBe(201)

    const second = await serve().finished()
    expect(second.code).toBe(1)
    expect(second.output).toMatch(new RegExp(`in use by process ${first.pid}\\b.*DATA_FOLDER_IN_USE`, 's'))

    await first.end('SIGKILL')
    await using third = serve()
    const again = await fetch(`${await third.url()}/api/v1/workflow-definitions/kept/draft`)
    expect(again.status).toBe(200)
  })

  it('writes into the audit log which node it was, also when nobody has named it', async () => {
    await using node = serve()
    const api = `${await node.url()}/api/v1`
    const read = async (what: string) => (await (await fetch(`${api}/${what}`)).json()).items
    await fetch(`${api}/caches/definitions/clear`, { method: 'POST' })
    const [{ name }] = await read('cluster/nodes')
    expect(name).toMatch(/:\d+$/)
    await expect.poll(async () => (await read('audit-log'))[0]).toMatchObject({ operation: 'clearCache', node: name })
  })

  it('serves under a base path', async () => {
    await using node = serve(['--base-path', '/flows'])
    const url = await node.url()
    expect(url.endsWith('/flows')).toBe(true)
    expect((await health(url, 'live'))[0]).toBe(200)
  })

  it('takes flags before the environment before the file', async () => {
    await writeFile(
      path.join(folder, 'lockstep.config.json'),
      JSON.stringify({ basePath: '/from-file', dataDir: 'from-file' }),
    )
    await using node = serve(['--base-path', '/from-flag'], {
      LOCKSTEP_BASE_PATH: '/from-environment',
      LOCKSTEP_DATA_DIR: 'from-environment',
    })
    expect(new URL(await node.url()).pathname).toBe('/from-flag')
    expect((await readdir(folder)).sort()).toEqual(['from-environment', 'lockstep.config.json'])
  })
})

describe('a configuration in TypeScript', () => {
  it('is read, workflows included, and they run', async () => {
    const face = pathToFileURL(fileURLToPath(new URL('../../packages/lockstep/bundle/index.js', import.meta.url))).href
    await writeFile(
      path.join(folder, 'lockstep.config.ts'),
      `import { defineConfig, workflow } from ${JSON.stringify(face)}
       interface Name { readonly name: string }
       const greet = workflow('greet', async (_ctx, input: Name): Promise<string> => \`hello \${input.name}\`)
       export default defineConfig({ basePath: '/typed' as const, workflows: [greet] })`,
    )
    await using node = serve()
    const url = await node.url()
    expect(new URL(url).pathname).toBe('/typed')
    const response = await fetch(`${url}/api/v1/workflow-instances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ definitionId: 'greet', input: { name: 'you' }, wait: '20s' }),
    })
    expect(await response.json()).toMatchObject({ status: 'completed', output: 'hello you' })
  })

  it('that does not compile is refused with its place', async () => {
    await writeFile(path.join(folder, 'lockstep.config.ts'), 'export default { port: }\n')
    const { code, output } = await serve().finished()
    expect(code).toBe(1)
    expect(output).toMatch(/lockstep\.config\.ts/)
  })
})

describe('bad input ends with one sentence, exit code 1, and nothing half-created', () => {
  const refused = async (node: LockstepProcess): Promise<string> => {
    const { code, output } = await node.finished()
    expect(code).toBe(1)
    expect(output).not.toMatch(/\n\s+at /) // no stack
    return output
  }

  it.each([
    ['an unknown flag', ['--prot', '1'], /unknown option '--prot'/],
    ['an unknown argument', ['extra'], /too many arguments/],
    [
      'a port that is no number',
      ['--port', 'http'],
      /"port" must be a whole number from 0 to 65535, not "http".*INVALID_OPTION/,
    ],
    ['a port out of range', ['--port', '70000'], /"port" must be a whole number from 0 to 65535/],
    ['an unknown mode', ['--migrate', 'maybe'], /"migrate" must be one of auto, check, off/],
    ['a wrong database URL', ['--database-url', 'mysql://localhost/x'], /INVALID_OPTION/],
    ['a host for others without a secret', ['--host', '192.0.2.1'], /Set LOCKSTEP_SECRET .*UNSAFE_START/],
    ['a missing configuration file', ['--config', 'nowhere.json'], /"--config" must be the path of an existing file/],
  ])('%s', async (_what, args, message) => {
    expect(await refused(serve(args))).toMatch(message)
    const left = (await readdir(folder)).filter((name) => name !== '.lockstep')
    expect(left).toEqual([])
  })

  it('a host that is not ours', async () => {
    await writeFile(path.join(folder, 'lockstep.config.yaml'), 'secret: a5b9c1d7e3f02468a5b9c1d7e3f02468\n')
    expect(await refused(serve(['--host', '192.0.2.1']))).toMatch(/Cannot listen on 192\.0\.2\.1.*CANNOT_LISTEN/)
  })

  it('an unknown option in the configuration file', async () => {
    await writeFile(path.join(folder, 'lockstep.config.yaml'), 'prot: 1\n')
    expect(await refused(serve())).toMatch(/lockstep\.config\.yaml: prot/)
  })

  it('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    const { port } = await new Promise<{ port: number }>((resolve) =>
      other.once('listening', () => resolve(other.address() as { port: number })),
    )
    try {
      expect(await refused(new LockstepProcess(['server', '--port', String(port)], { cwd: folder }))).toMatch(
        new RegExp(`Port ${port} on 127.0.0.1 is in use.*PORT_IN_USE`),
      )
    } finally {
      other.close()
    }
  })

  it('a data folder that cannot be one', async () => {
    await writeFile(path.join(folder, 'file'), 'x')
    expect(await refused(serve(['--data-dir', 'file']))).toMatch(/DATA_FOLDER_UNREADABLE/)
    await mkdir(path.join(folder, 'full'))
    await writeFile(path.join(folder, 'full', 'letter.txt'), 'mine')
    await chmod(path.join(folder, 'full'), 0o755)
    expect(await readdir(path.join(folder, 'full'))).toEqual(['letter.txt'])
  })
})

describe('on PostgreSQL', () => {
  const server = startPostgres({ quiet: true })
  afterAll(async () => (await server).stop())

  it('refuses a database that does not exist at once, and waits for none that may come', async () => {
    const elsewhere = new URL((await server).url)
    elsewhere.pathname = '/nowhere'
    const { code, output } = await serve(['--database-url', elsewhere.href]).finished()
    expect([code, output]).toEqual([1, expect.stringMatching(/nowhere.*DATABASE_UNREACHABLE/s)])
    expect(output).not.toContain('waiting for the database')
  })

  it('is waited for where it is not up yet', async () => {
    await using node = serve(['--database-url', 'postgres://nobody@127.0.0.1:1/x'])
    await expect.poll(() => node.output, { timeout: 60_000 }).toContain('waiting for the database')
    const { code } = await node.end('SIGTERM')
    expect([code, node.output]).toEqual([0, expect.stringContaining('stopped')])
  })

  it('comes up, and refuses a schema that is newer than the code', async () => {
    const { url } = await server
    await using node = serve(['--database-url', url])
    expect((await health(await node.url(), 'ready'))[0]).toBe(200)
    expect(node.output).toContain('(PostgreSQL)')
    await node.end('SIGTERM')

    const { default: pg } = await import('pg')
    const client = new pg.Client(url)
    await client.connect()
    await client.query(
      `insert into lockstep.migration (number, name, checksum, applied_by) values (9999, 'future', 'x', 'test')`,
    )
    await client.end()
    const { code, output } = await serve(['--database-url', url]).finished()
    expect(code).toBe(1)
    expect(output).toMatch(/is at migration 9999.*Upgrade this node.*SCHEMA_TOO_NEW/)
  })
})
