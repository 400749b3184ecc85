/**
 * A PostgreSQL of our own, for those who have it installed (on the machine, or as a package in their project) and do not want
 * to set one up: its data, its password and its log in one private folder, listening on this machine only. It keeps its data from
 * one run to the next.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { type Clock, errorMessage, sleep } from '@lockstep/base'
import { ClusterNeedsDatabase, LocalPostgresFailed } from './errors.ts'
import { findEmbeddedPostgres } from './find-embedded-postgres.ts'
import { findPostgres } from './find-postgres.ts'

export interface LocalPostgres {
  readonly url: string
  stop(): Promise<void>
}

export interface LocalPostgresOptions {
  /** Everything lies in it. */
  readonly folder: string
  readonly searchPath: string | undefined
  /** Where to look besides. @default where packages put it */
  readonly places?: readonly string[]
  /** Whose `embedded-postgres` is used when none is installed on the machine. */
  readonly project: string
  readonly clock: Clock
}

const USER = 'lockstep'
const LONGEST_START_MS = 60_000
const STEP_MS = 50

export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const bin = findPostgres(options.searchPath, options.places) ?? findEmbeddedPostgres(options.project)
  if (bin === undefined) throw new ClusterNeedsDatabase({})
  const folder = path.resolve(options.folder)
  const data = path.join(folder, 'data')
  const owner = ownerFor()
  makeFolder(folder, owner)
  if (!existsSync(path.join(data, 'PG_VERSION'))) initialise(path.join(bin, 'initdb'), folder, data, owner)
  const password = readFileSync(passwordFile(folder), 'utf8')
  const urlAt = (port: number): string => `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`

  const running = runningAt(data)
  if (running !== undefined)
    return { url: urlAt(running.port), stop: () => stopServer(data, running.pid, options.clock) }
  const port = await freePort()
  const log = openSync(path.join(folder, 'log'), 'a', 0o600)
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' }
  const child = spawn(
    path.join(bin, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { cwd: folder, stdio: ['ignore', log, log], detached: true, ...owner },
  )
  await ready(child, data, folder, options.clock)
  return { url: urlAt(port), stop: () => stopServer(data, child.pid!, options.clock) }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root. */
function ownerFor(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
  try {
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return { uid: 65_534, gid: 65_534 }
  }
}

/** The folders above stay open for whom we become; what is secret lies in this one. */
function makeFolder(folder: string, owner: Owner | undefined): void {
  try {
    mkdirSync(path.dirname(folder), { recursive: true })
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  } catch (cause) {
    throw new LocalPostgresFailed({ folder, doing: 'making that folder', log: errorMessage(cause) }, { cause })
  }
}

const passwordFile = (folder: string): string => path.join(folder, 'password')

function initialise(initdb: string, folder: string, data: string, owner: Owner | undefined): void {
  const file = passwordFile(folder)
  writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (owner !== undefined) chownSync(file, owner.uid, owner.gid)
  const args = ['-D', data, '-U', USER, '--auth=scram-sha-256', `--pwfile=${file}`, '-E', 'UTF8', '--locale=C']
  try {
    execFileSync(initdb, args, { cwd: folder, stdio: 'pipe', ...owner })
  } catch (cause) {
    rmSync(data, { recursive: true, force: true })
    throw new LocalPostgresFailed({ folder, doing: 'initdb', log: reasonOf(cause, initdb, owner) }, { cause })
  }
}

function reasonOf(cause: unknown, program: string, owner: Owner | undefined): string {
  const { code, stderr } = cause as { readonly code?: string; readonly stderr?: Buffer }
  const said = stderr?.toString().trim()
  // The program itself could not be run, or it could, and did not get into the folder.
  if (owner !== undefined && (code === 'EACCES' || said?.includes('Permission denied')))
    return `PostgreSQL does not run as root, and the user ${owner.uid}, who runs it instead, does not get to ${program} or into that folder: let others pass through the folders above them (chmod o+x), or do not be root`
  return said === undefined || said === '' ? errorMessage(cause) : said
}

/**
 * What a run left behind that was killed: a server that goes on. Its lock file has the process, the port and its state. After a crash of
 * the machine that number may be another program's.
 */
function runningAt(data: string): { readonly pid: number; readonly port: number } | undefined {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')
    const [pid, port] = [Number(lines[0]), Number(lines[3])]
    return lines[7]?.trim() === 'ready' && isServerOf(data, pid) ? { pid, port } : undefined
  } catch {
    return undefined
  }
}

/** We start it with its folder in the command line. Throws when there is no such process. */
function isServerOf(data: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false
  if (process.platform === 'win32') return process.kill(pid, 0)
  return commandOf(pid).includes(`postgres -D ${data} `)
}

const commandOf = (pid: number): string =>
  existsSync('/proc/self/cmdline')
    ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    : execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })

async function ready(child: ChildProcess, data: string, folder: string, clock: Clock): Promise<void> {
  let isOver = false
  const ended = once(child, 'close')
    .catch(() => undefined)
    .then(() => {
      isOver = true
    })
  const deadline = clock.monotonic() + LONGEST_START_MS
  while (!isOver && clock.monotonic() < deadline) {
    if (child.pid !== undefined && runningAt(data)?.pid === child.pid) return
    await Promise.race([sleep(clock, STEP_MS), ended])
  }
  child.kill('SIGKILL')
  const log = readFileSync(path.join(folder, 'log'), 'utf8').trim().split('\n').slice(-3).join(' ')
  throw new LocalPostgresFailed({ folder, doing: 'its start', log })
}

/** Fast: whoever is connected is cut off, nothing is lost. */
async function stopServer(data: string, pid: number, clock: Clock): Promise<void> {
  try {
    if (isServerOf(data, pid)) process.kill(pid, 'SIGINT')
    while (isServerOf(data, pid)) await sleep(clock, STEP_MS)
  } catch {
    // It is gone.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
