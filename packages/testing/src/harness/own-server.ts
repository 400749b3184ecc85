import { setTimeout as delay } from 'node:timers/promises'
import { ServerFailed, ServerStopped } from './errors.ts'
import { freePort } from './free-port.ts'
import { type Guardian, type Spawned, startGuardian } from './guardian-client.ts'
import { type Progress, stopwatch } from './progress.ts'
import type { RestartOptions, ServerHandle } from './server-handle.ts'
import { MAIN, type ServerProgram } from './server-program.ts'
import { describeOutcome, waitReady } from './wait-ready.ts'

const PORT_TRIES = 5
const STOP_MS = 15_000
const PORT_TAKEN = /address already in use|eaddrinuse/i
/** A killed postmaster's lock is only good once its last backend is gone: wait for it, never remove the file. */
const LOCK_HELD = /lock file .* already exists|pre-existing shared memory block/i

export async function startOwnServer(program: ServerProgram, progress: Progress): Promise<ServerHandle> {
  const { server } = program
  const took = stopwatch()
  const guardian = await startGuardian(server, program.user)
  try {
    await program.prepare(guardian)
    for (let tries = 1; ; tries++) {
      const port = await freePort()
      const process = await program.launch(guardian, port)
      const outcome = await waitReady(program, guardian, port, process)
      if (outcome === 'ready') {
        progress(`${server} ready on 127.0.0.1:${port} after ${took()} (pid ${process.pid}, ${guardian.folder})`)
        return ownServer(program, guardian, progress, port, process)
      }
      const log = guardian.latestLogOf(MAIN)
      if (!PORT_TAKEN.test(log.join('\n')) || tries === PORT_TRIES) {
        throw new ServerFailed({ server, doing: `starting (${describeOutcome(outcome)})`, log })
      }
      progress(`${server}: port ${port} was taken meanwhile, trying another`)
      await guardian.request({ do: 'kill', name: MAIN, orphansMs: 0 })
    }
  } catch (error) {
    await guardian.finish(MAIN, 'SIGKILL', 0).catch(() => undefined)
    throw error
  }
}

function ownServer(
  program: ServerProgram,
  guardian: Guardian,
  progress: Progress,
  port: number,
  first: Spawned,
): ServerHandle {
  const { server, stopSignal } = program
  let running: Spawned | undefined
  let paused = false
  let stopping: Promise<void> | undefined
  let lastVerb: Promise<unknown> = Promise.resolve()

  const follow = (process: Spawned): void => {
    running = process
    void process.exited.then(() => {
      if (running === process) running = undefined
    })
  }
  follow(first)

  const verb = <T>(name: string, act: () => Promise<T>): Promise<T> => {
    if (stopping) return Promise.reject(new ServerStopped({ server, verb: name }))
    const done = lastVerb.then(act)
    lastVerb = done.catch(() => undefined)
    return done
  }
  const kill = async (orphansMs: number): Promise<void> => {
    await guardian.request({ do: 'kill', name: MAIN, orphansMs })
    running = undefined
    paused = false
  }
  const resume = async (): Promise<void> => {
    if (!paused) return
    await guardian.request({ do: 'resume' })
    paused = false
  }
  /** Retries what a crash leaves behind for a moment: a lock of backends not yet gone, a port not yet free. */
  const start = async (ready: boolean): Promise<void> => {
    if (running) return
    const took = stopwatch()
    const deadline = performance.now() + program.startMs
    for (;;) {
      await kill(0)
      const process = await program.launch(guardian, port)
      follow(process)
      if (!ready) return
      const outcome = await waitReady(program, guardian, port, process)
      if (outcome === 'ready')
        return progress(`${server} back on 127.0.0.1:${port} after ${took()} (pid ${process.pid})`)
      const log = guardian.latestLogOf(MAIN)
      const passing = PORT_TAKEN.test(log.join('\n')) || LOCK_HELD.test(log.join('\n'))
      if (!passing || performance.now() > deadline) {
        throw new ServerFailed({ server, doing: `starting again (${describeOutcome(outcome)})`, log })
      }
      await delay(100)
    }
  }
  const end = async (): Promise<void> => {
    const process = running
    if (!process) return
    await resume()
    await guardian.request({ do: 'signal', name: MAIN, signal: stopSignal })
    await within(STOP_MS, process.exited)
    await kill(0)
  }
  const stop = async (): Promise<void> => {
    await lastVerb
    const took = stopwatch()
    await guardian.finish(MAIN, stopSignal, STOP_MS)
    running = undefined
    progress(`${server} on 127.0.0.1:${port} stopped in ${took()}`)
  }

  return {
    server,
    url: program.url(port),
    port,
    folder: guardian.folder,
    external: false,
    get pid() {
      return running?.pid
    },
    start: () => verb('start', () => start(true)),
    restart: ({ ready = true }: RestartOptions = {}) =>
      verb('restart', async () => {
        await end()
        await start(ready)
      }),
    // A stopped process cannot leave by itself, so there is nothing to wait for.
    kill9: () => verb('kill', () => kill(paused ? 0 : program.orphansMs)),
    pause: () =>
      verb('pause', async () => {
        await guardian.request({ do: 'pause' })
        paused = true
      }),
    resume: () => verb('resume', resume),
    stop: () => {
      stopping ??= stop()
      return stopping
    },
    [Symbol.asyncDispose]() {
      return this.stop()
    },
    log: (lineCount) => guardian.logOf(MAIN, lineCount),
  }
}

/** Resolves when `event` does, or when the time is over, whichever comes first. */
async function within(ms: number, event: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([event, delay(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
}
