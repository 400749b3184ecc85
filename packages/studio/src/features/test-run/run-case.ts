import { call } from '../../api/client.ts'
import type { Instance } from '../../api/wire.ts'
import { hostMonotonic, sleep } from '../../browser/time.ts'
import type { Ending, TestCase } from './test-case.ts'
import { isOver } from './use-test-run.ts'

const EVERY_MS = 300
/** What takes longer is no test that somebody waits for. */
const LONGEST_MS = 60_000

/** Runs the draft with what the case has, until it ends, or waits where that is expected. `began` is told its id. */
export async function runCase(
  definitionId: string,
  { input, pins, until, expected }: TestCase,
  began: (runId: string) => void,
  signal: AbortSignal,
): Promise<Ending> {
  const at = `/workflow-definitions/${encodeURIComponent(definitionId)}/test-runs`
  const body = { input, pins, ...(until === undefined ? {} : { until }) }
  const { id } = await call<Instance>('POST', at, { body, signal })
  began(id)
  const deadline = hostMonotonic() + LONGEST_MS
  for (;;) {
    const headers = { 'cache-control': 'no-cache' }
    const run = await call<Instance>('GET', `/test-runs/${encodeURIComponent(id)}`, { signal, headers })
    const { status, output } = run
    if (isOver(run) || status === expected.status || hostMonotonic() > deadline) return { status, output }
    await sleep(EVERY_MS)
  }
}
