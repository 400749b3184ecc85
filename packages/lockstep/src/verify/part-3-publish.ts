import { Faults, type Part } from './part.ts'

const PAIRS_A_ROUND = 10

/** What was published on one node is what the next one starts, at once. */
export const publishThenStart: Part = {
  number: 3,
  title: 'publish on one node, start on another',
  async run(site) {
    const id = `${site.prefix}-version`
    const faults = new Faults()
    const pairs = site.rounds * PAIRS_A_ROUND
    const documentOf = (value: number) => ({
      id,
      activities: [{ id: 'out', type: 'set-output', inputs: { name: 'value', value } }],
      connections: [],
    })
    await site.publish(documentOf(0))
    let stale = 0
    for (let pair = 1; pair <= pairs; pair++) {
      if (pair % PAIRS_A_ROUND === 0) site.progress(`part 3: pair ${pair} of ${pairs}`)
      const [here, there] = [site.nodes[pair % site.nodes.length]!, site.nodes[(pair + 1) % site.nodes.length]!]
      const { body: published } = await here.call('PUT', `/workflow-definitions/${id}`, { body: documentOf(pair) })
      const { body: instance } = await there.call('POST', '/workflow-instances', {
        body: { definitionId: id, wait: '30s' },
      })
      if (instance.version !== published.version || (instance.output !== null && instance.output.value !== pair)) {
        stale += 1
        faults.add('a start used another version than the one published before it')
      } else if (instance.status !== 'completed') faults.add(`an instance stands as ${instance.status}`)
    }
    return faults.finding({ pairs, stale })
  },
}
