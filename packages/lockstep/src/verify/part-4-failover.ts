import { sleep } from '@lockstep/base'
import { atEnd, endedBy, readFacts } from './journal.ts'
import { Faults, inParallel, notRun, type Part, type Site } from './part.ts'

/** The short ones are in the hands of the node that dies; the long ones outlast a command that takes its time. */
const SPANS_MS = [4_000, 4_000, 4_000, 4_000, 4_000, 8_000, 8_000, 8_000, 12_000, 20_000]
const STEP_MS = 250
const MOST_ATTEMPTS = 3
const PLAIN = /^[\w.:@-]+$/
const LONGEST_BURIAL_MS = 60_000

/** The node that holds timers is killed before they are due: each fires once, elsewhere. */
export const killedOwner: Part = {
  number: 4,
  title: 'kill the owner before its timer',
  async run(site) {
    const { killCommand } = site
    if (killCommand === undefined) return notRun('it needs --kill-command "…", which kills the node {name} ({id})')
    const id = `${site.prefix}-failover`
    await site.publish({
      id,
      activities: [{ id: 'nap', type: 'delay', inputs: { duration: { $expr: "input.ms + 'ms'" } } }],
      connections: [],
    })
    const found = await setTimers(site, id)
    if (found === undefined) return notRun('no node had a timer in hand when it was looked at')
    const { owner, started } = found
    site.progress(`part 4: killing ${owner.name}`)
    const at = site.clock.monotonic()
    const environment = { LOCKSTEP_NODE_ID: owner.id, LOCKSTEP_NODE_NAME: owner.name }
    // The name comes from the cluster, and the line goes to the operator's shell.
    if (!PLAIN.test(owner.name) && killCommand.includes('{name}'))
      return notRun(
        `"${owner.name}" has signs that a shell may obey: use $LOCKSTEP_NODE_NAME in --kill-command, not {name}`,
      )
    await site.shell(killCommand.replaceAll('{name}', owner.name).replaceAll('{id}', owner.id), environment)
    const buriedMs = await untilGone(site, owner.id)
    const faults = new Faults()
    if (buriedMs === undefined) faults.add(`${owner.name} is still a member a minute after the command`)
    let elsewhere = 0
    for (const [index, instanceId] of started.entries()) {
      site.progress(`part 4: timer ${index + 1} of ${started.length}`)
      const ended = await atEnd(site.any, instanceId, 4)
      if (ended.status !== 'completed') faults.add(`an instance stands as ${ended.status}`)
      const fires = endedBy(await readFacts(site.any, instanceId, faults), ['timer'])
      if (fires.length !== 1) faults.add(`a timer fired ${fires.length} times`)
      if (fires[0] !== undefined && fires[0].nodeId !== owner.id) elsewhere += 1
    }
    if (elsewhere === 0)
      return notRun('every timer had fired before the node was dead: use a command that kills at once')
    const deadAfterMs = Math.round((buriedMs ?? site.clock.monotonic()) - at)
    return faults.finding({ killed: owner.name, timers: started.length, elsewhere, 'gone after ms': deadAfterMs })
  },
}

interface Owner {
  readonly id: string
  readonly name: string
}

/** Timers on one node, and who has them in hand. On a busy machine the look may come when the first have fired. */
async function setTimers(
  site: Site,
  definitionId: string,
): Promise<{ readonly owner: Owner; readonly started: readonly string[] } | undefined> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    site.progress('part 4: setting timers')
    const started = await inParallel(SPANS_MS.length, SPANS_MS.length, async (index) => {
      const wanted = { body: { definitionId, input: { ms: SPANS_MS[index] } } }
      return (await site.nodes[0]!.call('POST', '/workflow-instances', wanted)).body.id as string
    })
    const owner = await ownerOf(site, started)
    if (owner !== undefined) return { owner, started }
  }
  return undefined
}

async function ownerOf(site: Site, instanceIds: readonly string[]): Promise<Owner | undefined> {
  for (const instanceId of instanceIds) {
    const { body } = await site.any.call('GET', `/workflow-instances/${instanceId}`)
    if (body.nodeId === null) continue
    const { body: nodes } = await site.any.call('GET', '/cluster/nodes')
    const found = nodes.items.find((each: Owner) => each.id === body.nodeId)
    if (found !== undefined) return { id: found.id, name: found.name }
  }
  return undefined
}

/** When the others no longer count it among them. */
async function untilGone({ any, clock }: Site, nodeId: string): Promise<number | undefined> {
  const deadline = clock.monotonic() + LONGEST_BURIAL_MS
  while (clock.monotonic() < deadline) {
    const { body } = await any.call('GET', '/cluster/nodes')
    const node = body.items.find((each: { id: string }) => each.id === nodeId)
    if (node === undefined || node.state === 'dead' || node.state === 'buried') return clock.monotonic()
    await sleep(clock, STEP_MS)
  }
  return undefined
}
