/**
 * The process that owns the servers of one handle. The test process holds the other end of its stdin: when that end
 * goes, for whatever reason (return, crash, SIGINT, SIGKILL), the guardian kills everything it started, removes the
 * private folder and ends. The folder is made here, so that there is no moment in which it exists without a guardian.
 *
 * What belongs to a server: every descendant of the guardian, whatever was seen as one before (orphans change their
 * parent), and whatever works inside the private folder (PostgreSQL's backends leave the process group of their
 * postmaster, and outlive it for a moment).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type Command,
  type Exit,
  type GuardianMessage,
  type GuardianRequest,
  type GuardianSetup,
  LAUNCH_MARK,
} from './guardian-protocol.ts'
import { isDead, listProcesses, type ProcessEntry, workingFolder } from './process-table.ts'
import { freeSharedMemory } from './shared-memory.ts'

const LOOK_EVERY_MS = 10
/** A process in an uninterruptible wait obeys no signal; the guardian does not stay for it. */
const GIVE_UP_MS = 20_000

const setup: GuardianSetup = JSON.parse(process.argv[2] ?? '{}')
/** Where Linux offers it, a command dies with the guardian, even when somebody kills the guardian itself. */
const leash = ['setpriv', '--pdeathsig', 'KILL'] as const
const leashed = spawnSync(leash[0], [...leash.slice(1), 'true']).status === 0
const children = new Map<string, ChildProcess>()
const seen = new Set<string>()
let leaving = false

// Nobody may be left to read; that must not stop the clean-up. Signals to the guardian itself mean: clean up now.
process.stdout.on('error', () => undefined)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave())
process.on('uncaughtException', (error) => {
  say({ type: 'failure', reason: String(error) })
  void leave()
})

const folder = realpathSync(mkdtempSync(join(setup.parentFolder, setup.prefix)))
if (setup.user) chownSync(folder, setup.user.uid, setup.user.gid)
say({ type: 'hello', folder })

const requests = createInterface({ input: process.stdin })
requests.on('line', (line) => {
  const { id, ...request } = JSON.parse(line) as GuardianRequest & { id: number }
  handle(id, request as GuardianRequest)
    .then(
      (value) => say({ type: 'answer', id, value }),
      (error: unknown) => say({ type: 'refusal', id, reason: String(error) }),
    )
    .finally(() => {
      // The answer must reach the owner first: stdout is a pipe, and writes to it may still be under way.
      if (request.do === 'finish') process.stdout.end(() => process.exit(0))
    })
})
requests.on('close', () => void leave())
process.stdin.on('error', () => void leave())

function say(message: GuardianMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

async function handle(id: number, request: GuardianRequest): Promise<unknown> {
  switch (request.do) {
    case 'spawn': {
      const { pid, exited } = await start(request.command)
      exited.then((exit) => say({ type: 'exit', id, exit }))
      return pid
    }
    case 'run':
      return (await start(request.command)).exited
    case 'signal':
      return children.get(request.name)?.kill(request.signal)
    case 'pause':
      return orRefuse(until(() => signalThose('SIGSTOP', (entry) => entry.state !== 'T') === 0))
    case 'resume':
      return orRefuse(until(() => signalThose('SIGCONT', (entry) => entry.state === 'T') === 0))
    case 'kill':
      children.get(request.name)?.kill('SIGKILL')
      await until(() => members().length === 0, request.orphansMs)
      return orRefuse(killAll())
    case 'finish':
      signalThose('SIGCONT', () => true)
      children.get(request.name)?.kill(request.signal)
      await until(() => !children.has(request.name), request.graceMs)
      return cleanUp()
  }
}

function start(command: Command): Promise<{ pid: number; exited: Promise<Exit> }> {
  if (leaving) throw new Error('the guardian is leaving')
  const log = openSync(join(folder, `${command.name}.log`), 'a')
  writeSync(log, `${LAUNCH_MARK}\n`)
  const [file = '', ...args] = [...(leashed ? leash : []), command.file, ...command.args]
  const child = spawn(file, args, {
    ...command.user,
    cwd: folder,
    env: command.env,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  children.set(command.name, child)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      children.delete(command.name)
      reject(error)
    })
    const exited = new Promise<Exit>((done) => {
      child.once('exit', (code, signal) => {
        if (children.get(command.name) === child) children.delete(command.name)
        done({ code, signal })
      })
    })
    child.once('spawn', () => resolve({ pid: child.pid ?? 0, exited }))
  })
}

function members(): ProcessEntry[] {
  const table = listProcesses()
  const found = new Set<ProcessEntry>()
  const add = (entry: ProcessEntry): void => {
    if (entry.pid === process.pid || found.has(entry)) return
    found.add(entry)
    seen.add(nameOf(entry))
    for (const other of table) if (other.parentPid === entry.pid) add(other)
  }
  for (const entry of table) {
    if (entry.parentPid === process.pid || seen.has(nameOf(entry)) || worksHere(entry.pid)) add(entry)
  }
  return [...found].filter((entry) => !isDead(entry))
}

function nameOf(entry: ProcessEntry): string {
  return `${entry.pid}/${entry.startedAt}`
}

function worksHere(pid: number): boolean {
  const where = workingFolder(pid)
  return where !== undefined && (where === folder || where.startsWith(folder + sep))
}

/** Answers how many it signalled: the last look found none means that no new one was born meanwhile either. */
function signalThose(signal: NodeJS.Signals, which: (entry: ProcessEntry) => boolean): number {
  const chosen = members().filter(which)
  for (const { pid } of chosen) {
    try {
      process.kill(pid, signal)
    } catch {
      // Gone since the look.
    }
  }
  return chosen.length
}

async function until(holds: () => boolean, withinMs = GIVE_UP_MS): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return true
}

async function orRefuse(outcome: Promise<boolean>): Promise<void> {
  if (!(await outcome)) throw new Error(`processes did not obey: ${members().map((entry) => entry.pid)}`)
}

function killAll(): Promise<boolean> {
  let quietLooks = 0
  return until(() => {
    quietLooks = signalThose('SIGKILL', () => true) === 0 ? quietLooks + 1 : 0
    return quietLooks === 2
  })
}

async function cleanUp(): Promise<void> {
  leaving = true
  await killAll()
  freeSharedMemory(join(folder, 'data'))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function leave(): Promise<void> {
  if (leaving) return
  try {
    await cleanUp()
  } finally {
    process.exit(1)
  }
}
