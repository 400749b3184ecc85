import type { Json, JsonObject } from '@lockstep/base'
import { childIdOf } from '../../graph/children-progress.ts'
import type { OpenWait } from '../../graph/graph-state.ts'
import type { ChildEndedFact, ChildrenWait, Failure, StepKey } from '../../journal/fact.ts'
import { PayloadTooLarge } from '../../step/payload.ts'
import type { LiveGraph } from './live-graph.ts'

const PAGE = 1_000
const RESULTS_SHARE = 4

/** What a bulk run gives: how many of its children ended how, and what each of them gave, in the order of their items. */
export async function childrenOutput(graph: LiveGraph, step: StepKey, opened: OpenWait): Promise<JsonObject> {
  const wait = opened.wait as ChildrenWait
  const { items, collect, firstId } = wait
  const { completed, faulted, cancelled } = opened.children!
  const total = items.length
  const counts = { total, completed, faulted, cancelled: cancelled + (total - completed - faulted - cancelled) }
  if (collect === 'none') return { ...counts, results: [] }
  const facts = await readEnds(graph, step, opened.seq)
  const results: JsonObject[] = []
  // Many small results are not one large output; what they must fit into is the state of the instance.
  const most = Math.floor(graph.shell.limits.stateBytes / RESULTS_SHARE)
  let bytes = 0
  for (let index = 0; index < total; index += 1) {
    const fact = facts.get(index)
    if (collect === 'failed' && fact?.status === 'completed') continue
    const result = resultOf(fact, index, firstId)
    bytes += JSON.stringify(result).length
    if (bytes > most) {
      const what = `What the children of "${step}" gave (a "collect" of "failed" or "none" keeps less)`
      throw new PayloadTooLarge({ what, bytes, limit: most, option: 'limits.stateBytes' })
    }
    results.push(result)
  }
  return { ...counts, results }
}

function resultOf(fact: ChildEndedFact | undefined, index: number, firstId: string): JsonObject {
  if (fact === undefined) return { index, instanceId: null, status: 'not-started' }
  const { status, output, error, started = true } = fact
  if (!started && error === undefined) return { index, instanceId: null, status: 'not-started' }
  const result = { index, instanceId: started ? childIdOf(firstId, index) : null, status }
  return status === 'completed' ? { ...result, output: output ?? null } : { ...result, error: toData(error) }
}

const toData = (error: Failure | undefined): Json =>
  error === undefined ? null : { code: error.code, message: error.message }

/** What the journal says of the children of this step, by index. */
async function readEnds(graph: LiveGraph, step: StepKey, fromSeq: number): Promise<Map<number, ChildEndedFact>> {
  const { host, shell } = graph
  const { tenant, instanceId } = host.identity
  await host.durable()
  const ends = new Map<number, ChildEndedFact>()
  for (let after = fromSeq; ; ) {
    const rows = await shell.outside.journal(tenant, instanceId, after, PAGE)
    for (const { kind, data } of rows) {
      if (kind !== 'child-ended') continue
      const fact = data as ChildEndedFact
      if (fact.step === step) ends.set(fact.index, fact)
    }
    if (rows.length < PAGE) return ends
    after = rows.at(-1)!.seq
  }
}
