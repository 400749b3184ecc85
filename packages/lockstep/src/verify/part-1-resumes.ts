import { ServerProblem } from '../cli/exit-codes.ts'
import { atEnd, endedBy, readFacts } from './journal.ts'
import { Faults, inParallel, type Part, type Site } from './part.ts'

/** Through each node, of one instance. */
const RESUMES = 10
/** With fewer addresses than this, some get more. */
const LEAST_NODES = 3
/** Of one who is told that the instance does not wait yet; each takes as long as the server lets it wait, seconds. */
const MOST_TURNS = 20

/** An instance that waits is resumed ten times through every node at the same moment: one of them wins. */
export const simultaneousResumes: Part = {
  number: 1,
  title: 'simultaneous resumes',
  async run(site) {
    const id = `${site.prefix}-resume`
    await site.publish({
      id,
      activities: [
        { id: 'go', type: 'wait-for-event', inputs: { event: `${site.prefix}-go` } },
        { id: 'out', type: 'set-output', inputs: { name: 'winner', value: { $expr: 'steps.go.output.by' } } },
      ],
      connections: [{ from: 'go', to: 'out' }],
    })
    const faults = new Faults()
    const sum = { resumes: 0, won: 0, lost: 0 }
    for (let round = 1; round <= site.rounds; round++) {
      site.progress(`part 1: round ${round} of ${site.rounds}`)
      const { won, lost } = await race(site, id, faults)
      sum.resumes += won + lost
      sum.won += won
      sum.lost += lost
    }
    return faults.finding({ instances: site.rounds, ...sum })
  },
}

async function race(site: Site, definitionId: string, faults: Faults): Promise<{ won: number; lost: number }> {
  const { body: instance } = await site.any.call('POST', '/workflow-instances', {
    body: { definitionId },
    headers: { 'idempotency-key': site.key() },
  })
  const count = RESUMES * Math.max(LEAST_NODES, site.nodes.length)
  const answers = await inParallel(count, count, async (index) => {
    const node = site.nodes[index % site.nodes.length]!
    const body = { bookmark: `${site.prefix}-go`, payload: { by: index } }
    for (let turn = 1; ; turn++) {
      try {
        await node.call('POST', `/workflow-instances/${instance.id}/resume`, { body })
        return 'won'
      } catch (error) {
        if (!ServerProblem.is(error) || ![404, 409, 410].includes(error.details.status)) throw error
        // A slow cluster may take its time to reach the bookmark: until then nobody has won or lost.
        if (error.details.problem.code !== 'RESUME_IN_PROGRESS' || turn === MOST_TURNS) return 'lost'
      }
    }
  })
  const winners = answers.flatMap((answer, index) => (answer === 'won' ? [index] : []))
  if (winners.length !== 1) faults.add(`an instance was resumed ${winners.length} times`)
  const ended = await atEnd(site.any, instance.id, 4)
  if (ended.status !== 'completed') faults.add(`an instance ended as ${ended.status}`)
  else if (!winners.includes(ended.output?.winner)) faults.add('an instance has the payload of a resume that lost')
  const applied = endedBy(await readFacts(site.any, instance.id, faults), ['resume', 'event'])
  if (applied.length !== 1) faults.add(`a journal has ${applied.length} resumes`)
  return { won: winners.length, lost: answers.length - winners.length }
}
