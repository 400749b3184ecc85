/** Every line that a page tells somebody to type is typed: here, or by the test that has what it needs. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { openPostgres, postgresDeadLetters } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'
import { runIn } from '../cli/open-cli.ts'
import { manifestFault, manifestsIn } from '../deploy/check-manifest.ts'
import { until } from '../faults/until.ts'
import { codeBlocks } from './code-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const linesOf = (page: string): readonly string[] =>
  codeBlocks(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) =>
      code
        .replaceAll(/\\\n\s*/g, '')
        .trim()
        .split('\n'),
    )

/** Pages that say how a node is started. */
const ofNodes = [
  ...['host-studio-apart', 'instance-gate', 'logs', 'roles', 'scheduler-modes', 'secure-a-server', 'send-mail'],
  ...['single-sign-on', 'trace-workflows', 'wake-ups'],
].map((page) => `docs/how-to/${page}.md`)
/** Pages that say what to do with one that runs. */
const ofCommands = [
  ...['how-to/caches', 'how-to/drain', 'how-to/keep-and-delete', 'how-to/live-stream', 'how-to/samples'],
  ...['how-to/use-rabbitmq', 'how-to/verify-a-cluster', 'reference/cli'],
].map((page) => `docs/${page}.md`)
const elsewhere: Readonly<Record<string, string>> = {
  'docs/explanation/why-a-lock-needs-a-fence.md': 'tests/docs/toolkit.test.ts',
  'docs/how-to/api-keys.md': 'tests/security/pages.test.ts',
  'docs/how-to/audit.md': 'tests/security/pages.test.ts',
  'docs/how-to/backup-and-restore.md': 'tests/cli/stores.test.ts',
  'docs/how-to/cluster-on-one-machine.md': 'tests/cluster/dev.test.ts',
  'docs/how-to/docker.md': 'tests/deploy/database-role.test.ts',
  'docs/how-to/grow-to-three-nodes.md': 'tests/deploy/grow.test.ts',
  'docs/how-to/kubernetes.md': 'tests/deploy/chart.test.ts',
  'docs/how-to/move-to-postgresql.md': 'tests/cli/stores.test.ts',
  'docs/how-to/operate-from-the-command-line.md': 'tests/cli/pages.test.ts',
  'docs/how-to/secrets.md': 'tests/security/pages.test.ts',
  'docs/how-to/users.md': 'tests/security/pages.test.ts',
  'docs/tutorials/your-first-workflow.md': 'tests/docs/first-workflow.test.ts',
}

it('every page with lines for a shell has a test that types them', () => {
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll(path.sep, '/')}`)
    .filter((page) => page.endsWith('.md') && linesOf(page).length > 0)
  const typed = [...ofNodes, ...ofCommands, ...Object.keys(elsewhere)]
  expect(pages.filter((page) => !page.startsWith('docs/troubleshooting/')).sort()).toEqual(typed.sort())
  for (const test of Object.values(elsewhere)) expect([test, existsSync(path.join(root, test))]).toEqual([test, true])
})

let folder: string
let redis: ServerHandle
let database: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-pages-'))
  await mkdir(path.join(folder, 'secrets'))
  const secret = () => Buffer.from(systemRandom.bytes(32)).toString('hex')
  const files = { 'mail-url': 'smtp://user:password@127.0.0.1:587', 'oidc-client': secret() }
  for (const [name, text] of Object.entries({
    ...files,
    'lockstep-secret': secret(),
    'lockstep-first-key': secret(),
  }))
    await writeFile(path.join(folder, 'secrets', name), `${text}\n`)
  ;[redis, database] = await Promise.all([startRedis({ quiet: true }), cloneDatabase(inject('postgres'))])
})
afterAll(async () => {
  await redis?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const approval = workflow('approval', async (ctx) => ctx.waitFor('approved'))
const start = (environment: Record<string, string>): Promise<RunningNode> => {
  const raw = { drainMs: 100, ...readEnvironment(environment), databaseUrl: database.url, port: 0 }
  return startNode(resolveNodeOptions(raw), edge, { workflows: [approval], activities: [], jobs: [] })
}
const withoutComment = (line: string): string => line.replace(/\s+#\s.*$/, '')
/** Hosts and files as pages have them, and where they are in truth. */
const here = (line: string): string =>
  line
    .replaceAll(/redis:\/\/(?:redis|…)/g, redis.url)
    .replaceAll(/postgres:\/\/[^\s]+/g, database.url)
    .replaceAll('/run/secrets', path.join(folder, 'secrets'))
const assignedBy = (line: string): Record<string, string> =>
  Object.fromEntries(
    [...line.matchAll(/\b((?:LOCKSTEP|OTEL)_\w+)=(?:'([^']*)'|(\S+))/g)].map(([, name, quoted, bare]) => [
      name!,
      quoted ?? bare!,
    ]),
  )

describe('a node', () => {
  it.each(ofNodes)('starts as %s says', async (page) => {
    let exported: Record<string, string> = {}
    let isTried = true
    let started = 0
    const tryNode = async (environment: Record<string, string>, then: readonly string[]): Promise<void> => {
      const node = await start(environment)
      try {
        const ready = await fetch(`${node.url.replace('0.0.0.0', '127.0.0.1')}/health/ready`)
        expect([page, ready.status]).toEqual([page, 200])
        for (const line of then) await typed(line, node.url)
        started += 1
      } finally {
        await node.stop()
      }
    }
    const lines = linesOf(page).map((line) => here(withoutComment(line)))
    for (const [at, line] of lines.entries()) {
      if (line.startsWith('export ')) {
        exported = { ...exported, ...assignedBy(line) }
        isTried = false
      } else if (line.endsWith('lockstep server')) {
        const rest = lines.slice(at + 1)
        const end = rest.findIndex((each) => !each.startsWith('lockstep '))
        await tryNode({ ...exported, ...assignedBy(line) }, end === -1 ? rest : rest.slice(0, end))
        isTried = true
      }
    }
    if (!isTried) await tryNode(exported, [])
    expect(started).toBeGreaterThan(0)
  })

  it('is asked by the clock of Kubernetes in a manifest that Kubernetes takes', () => {
    const [cronJob] = codeBlocks('docs/how-to/scheduler-modes.md').filter(({ language }) => language === 'yaml')
    expect(manifestsIn(cronJob!.code).map(manifestFault)).toEqual([undefined])
  })
})

async function typed(line: string, url: string, more: readonly string[] = []): Promise<string> {
  const [name, ...words] = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([all, a, b]) => a ?? b ?? all)
  expect([line, name]).toEqual([line, 'lockstep'])
  const ran = await runIn(folder, { LOCKSTEP_URL: url }, [...words, ...more], { pauses: 1 })
  expect([line, ran.code, ran.code === 0 ? '' : ran.err + ran.out]).toEqual([line, 0, ''])
  return ran.out + ran.err
}

describe('a node that runs', () => {
  let node: RunningNode
  beforeAll(async () => {
    node = await start({ LOCKSTEP_NODE_NAME: 'worker-3', LOCKSTEP_SAMPLES: 'on' })
  })
  afterAll(() => node?.stop())
  const type = async (page: string): Promise<string> => {
    const said: string[] = []
    for (const line of linesOf(`docs/how-to/${page}.md`)) said.push(await typed(withoutComment(line), node.url))
    return said.join('\n')
  }

  it('shows and clears its caches', async () => expect(await type('caches')).toContain('instances'))

  it('is cordoned, drained and taken back', async () => {
    expect(await type('drain')).toContain('worker-3')
    const status = await typed('lockstep cluster status', node.url)
    expect(status).not.toMatch(/cordoned|draining/)
  })

  it('keeps and holds what it is told to', async () => {
    expect(await type('keep-and-delete')).toContain('claim 4711')
  })

  it('gives its samples back', async () => {
    await type('samples')
    expect(await typed('lockstep samples remove', node.url)).toContain('no sample workflows')
  })

  it('tells what happens to whoever asks with curl', async () => {
    const [line = ''] = linesOf('docs/how-to/live-stream.md')
    const command = line.replace('http://127.0.0.1:4400', node.url).replace('curl -N ', 'curl -sN --max-time 3 ')
    expect(command).not.toBe(line)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} || true`])
    const [shown] = codeBlocks('docs/how-to/live-stream.md').filter(({ language }) => language === 'text')
    const firstOf = (text: string): string =>
      text
        .replaceAll(/\d{6,}/g, 'N')
        .split('\n')
        .slice(0, 5)
        .join('\n')
    expect(firstOf(stdout)).toBe(firstOf(shown!.code))
  })

  it('shows, mends and discards dead letters', async () => {
    const db = await openPostgres({ url: database.url, ...edge })
    const letter = { tenant: 'default', definitionId: 'approval', source: 'rabbitmq:orders', code: 'UNREADABLE' }
    const ids = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002']
    for (const id of ids)
      await postgresDeadLetters(db).put({
        ...{ ...letter, id, reason: 'no JSON', dedupeKey: undefined, correlationId: undefined, raw: Buffer.from('?') },
      })
    await db.close()
    await writeFile(path.join(folder, 'mended.json'), '{"order":17}')
    const unasked = await runIn(folder, { LOCKSTEP_URL: node.url }, ['dead-letters', 'discard', `dlt_${ids[1]}`])
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('say --yes')])
    const said: string[] = []
    for (const line of linesOf('docs/how-to/use-rabbitmq.md')) {
      const id = line.includes('discard') ? ids[1]! : ids[0]!
      said.push(await typed(withoutComment(line).replace('dlt_0190…', `dlt_${id}`), node.url))
    }
    expect(said[0]).toContain('UNREADABLE')
    expect(said[1]).toContain('no JSON')
    expect(await typed('lockstep dead-letters list', node.url)).toContain('No dead letters')
    await until('the mended one has started', async () =>
      (await typed('lockstep instances list --definition approval', node.url)).includes('wfi_'),
    )
  })

  it('is verified with the flags that the page has', async () => {
    const [short = '', long = ''] = linesOf('docs/how-to/verify-a-cluster.md')
    const own = short.replaceAll(/http:\/\/node-\d:4400/g, node.url)
    expect(await typed(own, node.url, ['--parts', '3', '--rounds', '1'])).toContain('3')
    const help = await runIn(folder, {}, ['verify-cluster', '--help'])
    for (const [flag] of long.matchAll(/--[a-z-]+-command/g)) expect(help.out).toContain(flag)
  })

  it('is kept under a name, and completed, as the reference of the command line says', async () => {
    const [login = '', completion = ''] = linesOf('docs/reference/cli.md')
    const [command = ''] = login.replace(/https:\S+/, node.url).split(' < ')
    const environment = { XDG_CONFIG_HOME: folder }
    const ran = await runIn(folder, environment, command.split(' ').slice(1), { input: 'a-key-of-somebody\n' })
    expect([ran.code, ran.code === 0 ? '' : ran.err]).toEqual([0, ''])
    expect((await runIn(folder, environment, ['instances', 'list', '--profile', 'prod'])).code).toBe(0)
    const script = /<\(lockstep (.+)\)/.exec(completion)?.[1] ?? ''
    expect((await runIn(folder, {}, script.split(' '))).out).toContain('complete')
  })
})
