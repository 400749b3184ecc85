import { randomBytes } from 'node:crypto'
import { type Clock, errorMessage } from '@lockstep/base'
import type { ApiClient } from '../cli/remote/api-client.ts'
import { balanced } from './balanced.ts'
import type { Finding, Part, Site } from './part.ts'
import { simultaneousResumes } from './part-1-resumes.ts'
import { timersOverNodes } from './part-2-timers.ts'
import { publishThenStart } from './part-3-publish.ts'
import { killedOwner } from './part-4-failover.ts'
import { rollingRestart } from './part-5-rolling.ts'
import { lockLatency } from './part-6-locks.ts'
import { runShell } from './run-shell.ts'

export interface ChecklistOptions {
  readonly nodes: readonly ApiClient[]
  readonly rounds: number
  readonly timers: number
  readonly lockLimitMs: number
  readonly killCommand?: string | undefined
  readonly restartCommand?: string | undefined
  /** Numbers of the parts to run. @default all */
  readonly parts?: readonly number[]
  /** What commands see. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly progress: (text: string) => void
}

export interface Report {
  readonly passed: boolean
  readonly parts: readonly ({ readonly number: number; readonly title: string } & Finding)[]
  /** What could not be cleaned up. */
  readonly left: readonly string[]
}

/** In this order: those that leave a node dead come last. */
const PARTS: readonly Part[] = [
  simultaneousResumes,
  timersOverNodes,
  publishThenStart,
  lockLatency,
  killedOwner,
  rollingRestart,
]
const PATIENCE_MS = 30_000
const MOST_INSTANCES = 1_000

/** Runs the six parts and takes away what they left. */
export async function runChecklist(options: ChecklistOptions): Promise<Report> {
  const { nodes, clock, progress } = options
  const prefix = `verify-${randomBytes(4).toString('hex')}`
  const published = new Set<string>()
  let keyCount = 0
  const any = balanced(nodes, clock, PATIENCE_MS)
  const site: Site = {
    ...options,
    ...{ killCommand: options.killCommand, restartCommand: options.restartCommand },
    any,
    prefix,
    progress,
    key: () => `${prefix}-${++keyCount}`,
    shell: (command, extra) => runShell(command, { ...options.environment, ...extra }),
    async publish(document) {
      await any.call('PUT', `/workflow-definitions/${document.id}`, { body: document })
      published.add(document.id)
    },
  }
  const found: Report['parts'][number][] = []
  const left: string[] = []
  try {
    for (const part of PARTS) {
      if (options.parts?.includes(part.number) === false) continue
      const { number, title } = part
      found.push({ number, title, ...(await part.run(site).catch(broken)) })
    }
  } finally {
    progress('cleaning up')
    for (const id of published)
      await cleanUp(site, id).catch((error: unknown) => left.push(`${id}: ${errorMessage(error)}`))
  }
  found.sort((a, b) => a.number - b.number)
  return { passed: found.every(({ verdict }) => verdict !== 'fail'), parts: found, left }
}

/** A part that cannot go on has failed: whatever stopped it was not to happen in a sound cluster. */
const broken = (error: unknown): Finding => ({ verdict: 'fail', reasons: [errorMessage(error)], figures: {} })

async function cleanUp({ any }: Site, definition: string): Promise<void> {
  for (const status of ['queued', 'running', 'suspended', 'paused']) {
    const query = { definition, status, limit: 200 }
    for (let seen = 0; seen < MOST_INSTANCES; ) {
      const { body } = await any.call('GET', '/workflow-instances', { query })
      for (const { id } of body.items)
        await any.call('POST', `/workflow-instances/${id}/terminate`, { body: { reason: 'verify-cluster is over' } })
      seen += body.items.length
      if (body.items.length === 0 || body.page.next === null) break
    }
  }
  await any.call('POST', `/workflow-definitions/${definition}/retract`, { body: {} })
}
