/**
 * One instance goes through everything a program can do. Its process is killed before and after each of its writes in turn;
 * another process then finishes it. Whatever the place, the result is that of a run without a crash.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachCrash, type Survivor } from './each-crash.ts'
import { type End, type Started, view } from './instance-view.ts'
import { countOf, shortLife, TestBed, type TestSite } from './test-bed.ts'
import { type Crash, NodeCallFailed, TestNode } from './test-node.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open({ graphs: true })
})
afterAll(() => bed?.stop())

interface Script {
  readonly definitionId: string
  readonly input: unknown
  /** Waits that are resumed from outside, in order. */
  readonly waits: readonly string[]
  /** The step that runs at most once. */
  readonly once: string
}

const functionScript: Script = {
  definitionId: 'scripted-order',
  input: { n: 21 },
  waits: ['go', 'again'],
  once: 'charge',
}
const graphScript: Script = { ...functionScript, definitionId: 'scripted-graph' }

interface Acknowledged {
  started?: string
  readonly resumed: Set<string>
}

/** Starts, resumes and waits on one node, until the end or until the node is gone. Repeats what another node may have done. */
async function drive(node: TestNode, script: Script, acknowledged: Acknowledged): Promise<End> {
  const { definitionId, input, waits, once } = script
  const { instanceId, created } = await node.call<Started>('start', { definitionId, input, dedupeKey: 'the one' })
  if (acknowledged.started !== undefined)
    expect({ instanceId, created }).toEqual({ instanceId: acknowledged.started, created: false })
  acknowledged.started = instanceId
  for (const name of waits) {
    await until(`"${name}" was resumed`, async () => {
      await settleIncident(node, instanceId, once)
      const said = await node.call<string>('resume', { instanceId, bookmark: name, payload: `${name} from outside` })
      if (said === 'resumed') {
        expect(acknowledged.resumed).not.toContain(name)
        acknowledged.resumed.add(name)
      }
      return said === 'resumed' || said === 'already-resumed'
    })
  }
  let end: End | null = null
  await until(`${definitionId} has ended`, async () => {
    await settleIncident(node, instanceId, once)
    end = await node.call<End | null>('wait', { instanceId, limitMs: 200 })
    return end !== null
  })
  return end as unknown as End
}

/** What an operator does: looks whether it happened, and says so. */
async function settleIncident(node: TestNode, instanceId: string, once: string): Promise<void> {
  const { incidents, waitingFor } = await view(node, instanceId)
  if (!incidents.some((each) => each.code === 'OUTCOME_UNKNOWN') || !waitingFor.some((each) => each.name === once))
    return
  await node.call('resume', { instanceId, bookmark: once, payload: 'settled by an operator' })
}

const openOptions = (name: string) => ({ name, engine: { ...shortLife, resumeWaitMs: 300 } })

const open = async (site: TestSite, node: TestNode, name: string, crash?: Crash): Promise<void> => {
  await node.call('open', site.openOptions({ ...openOptions(name), ...(crash === undefined ? {} : { crash }) }))
}

interface CleanRun {
  readonly output: unknown
  readonly facts: readonly string[]
  readonly counts: Readonly<Record<Crash['op'], number>>
}

const sorted = (facts: readonly string[]): string[] => [...facts].sort()

/** Facts that a crash may add: attempts that were lost, and what a person was asked. */
async function factsOf(site: TestSite, script: Script): Promise<string[]> {
  const rows = await site.rows<{ fact: string }>(
    `select i.definition_id || ' ' || j.kind || ' ' || coalesce(j.data ->> 'step', '') as fact
       from journal j join instance i on i.id = j.instance_id`,
  )
  return sorted(rows.map((row) => row.fact).filter((fact) => fact !== `${script.definitionId} waiting ${script.once}`))
}

async function cleanRun(script: Script): Promise<CleanRun> {
  await using site = await bed.site()
  const node = new TestNode()
  site.nodes.push(node)
  await open(site, node, 'a')
  const end = await drive(node, script, { resumed: new Set() })
  expect(end).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
  return { output: end.output, facts: await factsOf(site, script), counts: await node.call('counts') }
}

/** Answers whether the crash happened. */
async function crashAndFinish(
  script: Script,
  clean: CleanRun,
  crash: Crash,
  first: TestNode,
  survivor: Survivor,
): Promise<boolean> {
  await using site = await bed.site()
  site.nodes.push(first)
  const acknowledged: Acknowledged = { resumed: new Set() }
  const where = `${crash.when} ${crash.op} ${crash.n}`
  await open(site, first, 'a', crash)
  try {
    await drive(first, script, acknowledged)
    return false
  } catch (error) {
    if (!(error instanceof NodeCallFailed && error.code === 'GONE')) throw error
  }
  const end = await survivor.at(site, openOptions('b'), (second) => drive(second, script, acknowledged))
  const asked = await site.rows(`select 1 from incident where code = 'OUTCOME_UNKNOWN'`)
  const charges = site.effects().filter((effect) => effect.step === script.once)
  expect(charges.length, where).toBeLessThanOrEqual(1)
  expect({ where, ...end }).toMatchObject({ where, status: 'completed' })
  expect(JSON.stringify(end.output).replace('settled by an operator', 'charged'), where).toBe(
    JSON.stringify(clean.output),
  )
  expect(JSON.stringify(end.output).includes('settled by an operator'), where).toBe(asked.length > 0)
  expect(await factsOf(site, script), where).toEqual(clean.facts)
  expect(await site.violations(), where).toEqual([])
  return true
}

/** The share of the planned crashes that happened. */
async function enumerate(script: Script): Promise<number> {
  const clean = await cleanRun(script)
  const every = countOf('LOCKSTEP_FAULTS_BOUNDARY_STRIDE', 1)
  const crashes: Crash[] = []
  for (const [op, count] of Object.entries(clean.counts) as [Crash['op'], number][]) {
    for (let n = 1; n <= count; n += every) {
      if (op !== 'claim') crashes.push({ op, n, when: 'before' })
      crashes.push({ op, n, when: 'after' })
    }
  }
  return eachCrash(crashes, (crash, victim, survivor) => crashAndFinish(script, clean, crash, victim, survivor))
}

describe('P1 P4 P5: a process killed at any of its writes', () => {
  it('P1 P4 P5: a function killed before and after each write is finished by another process as if nothing had been', async () => {
    expect(await enumerate(functionScript)).toBeGreaterThan(0.8)
  }, 240_000)

  it('P1 P4 P5: a graph killed before and after each write is finished by another process as if nothing had been', async () => {
    expect(await enumerate(graphScript)).toBeGreaterThan(0.8)
  }, 240_000)
})
