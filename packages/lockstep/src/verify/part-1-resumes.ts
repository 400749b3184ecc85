import { ServerProblem } from '../cli/exit-codes.ts'
import { atEnd, endedBy, readFacts } from './journal.ts'
import { Faults, inParallel, type Part, type Site } from './part.ts'

const AT_ONCE = 10
/** Of one instance; with fewer addresses than this, some get it twice. */
const LEAST_RESUMES = 3

/** Instances that wait are resumed through every node at the same moment: one resume of each wins. */
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
      await inParallel(AT_ONCE, AT_ONCE, async () => {
        const { won, lost } = await race(site, id, faults)
        sum.resumes += won + lost
        sum.won += won
        sum.lost += lost
      })
    }
    return faults.finding({ instances: site.rounds * AT_ONCE, ...sum })
  },
}

async function race(site: Site, definitionId: string, faults: Faults): Promise<{ won: number; lost: number }> {
  const { body: instance } = await site.any.call('POST', '/workflow-instances', {
    body: { definitionId },
    headers: { 'idempotency-key': site.key() },
  })
  const count = Math.max(LEAST_RESUMES, site.nodes.length)
  const answers = await inParallel(count, count, async (index) => {
    const node = site.nodes[index % site.nodes.length]!
    try {
      const body = { bookmark: `${site.prefix}-go`, payload: { by: index } }
      await node.call('POST', `/workflow-instances/${instance.id}/resume`, { body })
      return 'won'
    } catch (error) {
      if (ServerProblem.is(error) && [404, 409, 410].includes(error.details.status)) return 'lost'
      throw error
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
