import { setTimeout as delay } from 'node:timers/promises'
import type { Guardian, Spawned } from './guardian-client.ts'
import type { Exit } from './guardian-protocol.ts'
import type { ServerProgram } from './server-program.ts'

export type StartOutcome = 'ready' | 'late' | Exit

/** Asks until the server answers, ends, or has had its time. */
export async function waitReady(
  program: ServerProgram,
  guardian: Guardian,
  port: number,
  process: Spawned,
): Promise<StartOutcome> {
  const deadline = performance.now() + program.startMs
  let exit: Exit | undefined
  void process.exited.then((how) => {
    exit = how
  })
  for (;;) {
    const ready = await program.answers(guardian, port)
    if (exit) return exit
    if (ready) return 'ready'
    if (performance.now() > deadline) return 'late'
    await delay(20)
  }
}

export function describeOutcome(outcome: StartOutcome): string {
  if (typeof outcome === 'string') return 'it did not answer in time'
  return outcome.signal ? `ended by ${outcome.signal}` : `exit code ${outcome.code}`
}
