import { atEnd, endedBy, readFacts } from './journal.ts'
import { Faults, inParallel, type Part, percentile } from './part.ts'

const WIDTH = 20
/** Some stay with the node that started them, some are taken up by whoever comes first. */
const SPANS_MS = [2_000, 6_000]

/** Timers started on all nodes fire once each. */
export const timersOverNodes: Part = {
  number: 2,
  title: 'timers over the nodes',
  async run(site) {
    const id = `${site.prefix}-timer`
    await site.publish({
      id,
      activities: [
        { id: 'nap', type: 'delay', inputs: { duration: { $expr: "input.ms + 'ms'" } } },
        { id: 'out', type: 'set-output', inputs: { name: 'rested', value: true } },
      ],
      connections: [{ from: 'nap', to: 'out' }],
    })
    const faults = new Faults()
    const fired = new Map<string, number>()
    const late: number[] = []
    const started = await inParallel(site.timers, WIDTH, async (index) => {
      if (index % WIDTH === 0) site.progress(`part 2: timer ${index} of ${site.timers} set`)
      const ms = SPANS_MS[index % SPANS_MS.length]!
      const wanted = { body: { definitionId: id, input: { ms } }, headers: { 'idempotency-key': site.key() } }
      const { body } = await site.nodes[index % site.nodes.length]!.call('POST', '/workflow-instances', wanted)
      return { id: body.id as string, ms }
    })
    await inParallel(site.timers, WIDTH, async (index) => {
      if (index % WIDTH === 0) site.progress(`part 2: timer ${index} of ${site.timers} looked at`)
      const { id: instanceId, ms } = started[index]!
      const ended = await atEnd(site.any, instanceId, 4)
      if (ended.status !== 'completed') return faults.add(`an instance with a timer stands as ${ended.status}`)
      late.push(Date.parse(ended.finishedAt) - Date.parse(ended.createdAt) - ms)
      const fires = endedBy(await readFacts(site.any, instanceId, faults), ['timer'])
      if (fires.length !== 1) faults.add(`a timer fired ${fires.length} times`)
      for (const { nodeId } of fires) fired.set(nodeId, (fired.get(nodeId) ?? 0) + 1)
    })
    return faults.finding({
      timers: site.timers,
      spread: [...fired.values()].sort((a, b) => b - a).join(' + ') || 'none fired',
      'late p50 ms': percentile(late, 0.5),
      'late p99 ms': percentile(late, 0.99),
    })
  },
}
