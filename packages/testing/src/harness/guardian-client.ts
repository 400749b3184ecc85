import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Deferred, deferred } from '@lockstep/base'
import { HarnessNotBuilt, ServerFailed, type ServerName } from './errors.ts'
import {
  type Command,
  type Exit,
  type GuardianMessage,
  type GuardianRequest,
  type GuardianSetup,
  LAUNCH_MARK,
  type SystemUser,
} from './guardian-protocol.ts'

export interface Spawned {
  readonly pid: number
  /** Never rejects. */
  readonly exited: Promise<Exit>
}

/** The owner's side of one guardian process. See `guardian.ts` for what it promises. */
export interface Guardian {
  readonly folder: string
  request(request: GuardianRequest): Promise<unknown>
  spawn(command: Command): Promise<Spawned>
  /** Runs a short command to its end. */
  run(command: Command): Promise<Exit>
  /** Ends what is running, asking `name` first, and removes the folder. Resolves when the guardian itself is gone. */
  finish(name: string, signal: NodeJS.Signals, graceMs: number): Promise<void>
  /** The last lines that processes of that name wrote. */
  logOf(name: string, lineCount?: number): string[]
  /** The same of the latest run only. */
  latestLogOf(name: string): string[]
}

export async function startGuardian(server: ServerName, user?: SystemUser): Promise<Guardian> {
  const child = spawnGuardian(server, user)
  const hello = deferred<string>()
  const answers = new Map<number, Deferred<unknown>>()
  const exits = new Map<number, Deferred<Exit>>()
  let lastId = 0
  let gone = false
  let lastWords = ''

  const failed = (doing: string): Error => new ServerFailed({ server, doing, log: [] })
  const abandoned = (): Error => failed(`talking to its guardian process, which is gone ${lastWords}`.trimEnd())
  const onGone = (): void => {
    gone = true
    const error = abandoned()
    hello.reject(error)
    for (const waiting of answers.values()) waiting.reject(error)
    for (const waiting of exits.values()) waiting.resolve({ code: null, signal: null })
    answers.clear()
  }
  const take = (id: number): Deferred<unknown> | undefined => {
    const waiting = answers.get(id)
    answers.delete(id)
    keepAlive(child, answers.size > 0)
    return waiting
  }
  const onMessage = (message: GuardianMessage): void => {
    switch (message.type) {
      case 'hello':
        hello.resolve(message.folder)
        break
      case 'failure':
        lastWords = `(${message.reason})`
        break
      case 'exit':
        exits.get(message.id)?.resolve(message.exit)
        exits.delete(message.id)
        break
      case 'answer':
        take(message.id)?.resolve(message.value)
        break
      case 'refusal':
        take(message.id)?.reject(failed(`asking its guardian process: ${message.reason}`))
    }
  }
  const closed = once(child, 'close').then(onGone, onGone)
  child.stdin?.on('error', () => undefined)
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => onMessage(JSON.parse(line)))

  const send = (id: number, wish: GuardianRequest): Promise<unknown> => {
    if (gone) return Promise.reject(abandoned())
    const waiting = deferred<unknown>()
    answers.set(id, waiting)
    keepAlive(child, true)
    child.stdin?.write(`${JSON.stringify({ id, ...wish })}\n`)
    return waiting.promise
  }

  const folder = await hello.promise
  keepAlive(child, false)
  const logOf = (name: string, lineCount = 20): string[] => lastLines(join(folder, `${name}.log`), lineCount)
  return {
    folder,
    request: (wish) => send(++lastId, wish),
    async spawn(command) {
      const id = ++lastId
      const exited = deferred<Exit>()
      exits.set(id, exited)
      const pid = (await send(id, { do: 'spawn', command })) as number
      return { pid, exited: exited.promise }
    },
    run: async (command) => (await send(++lastId, { do: 'run', command })) as Exit,
    async finish(name, signal, graceMs) {
      await send(++lastId, { do: 'finish', name, signal, graceMs })
      keepAlive(child, true)
      await closed
    },
    logOf,
    latestLogOf(name) {
      const lines = logOf(name)
      return lines.slice(lines.lastIndexOf(LAUNCH_MARK) + 1)
    },
  }
}

function spawnGuardian(server: ServerName, user: SystemUser | undefined): ChildProcess {
  const prefix = `lockstep-${server.toLowerCase()}-`
  const setup: GuardianSetup = { parentFolder: tmpdir(), prefix, ...(user && { user }) }
  // Detached: Ctrl-C reaches every process of the terminal's group, and the guardian has work to do afterwards.
  return spawn(process.execPath, [guardianFile(), JSON.stringify(setup)], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

/** Node runs the compiled file, also when this one is read from source by a test runner. */
function guardianFile(): string {
  const path = import.meta.url.endsWith('.ts') ? '../../dist/harness/guardian.js' : './guardian.js'
  const file = fileURLToPath(new URL(path, import.meta.url))
  if (!existsSync(file)) throw new HarnessNotBuilt({ file })
  return file
}

/** A test process that forgot `stop()` may end, and the guardian cleans up; but not while an answer is awaited. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  for (const handle of [child, child.stdin, child.stdout]) {
    if (handle !== child && !(handle instanceof Socket)) continue
    if (alive) handle.ref()
    else handle.unref()
  }
}

function lastLines(file: string, count: number): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count)
  } catch {
    return []
  }
}
