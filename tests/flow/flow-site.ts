import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Db, openPostgres, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { inject } from 'vitest'
import { nodeProgram } from '../setup/bundle-nodes.ts'

const program = nodeProgram(new URL('./flow-node.mjs', import.meta.url))
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

export interface SinkLine {
  readonly kind: 'enter' | 'leave'
  readonly instanceId: string
  readonly key: string
}

/** A database, a file that the outside world writes, and node processes that die. */
export interface FlowSite extends AsyncDisposable {
  readonly db: Db
  node(options?: {
    readonly flow?: object
    /** Of the step that goes out to `sinkUrl`. */
    readonly limit?: object
    readonly sinkUrl?: string
    readonly holdMs?: number
  }): Promise<FlowNode>
  sink(): readonly SinkLine[]
  /** Instances of a definition by status, with their input. */
  instances(definitionId: string): Promise<readonly { id: string; status: string; input: unknown }[]>
}

export class FlowNode {
  readonly #child: ChildProcess
  readonly #answers = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #last = 0

  constructor(argument: object) {
    this.#child = fork(program, [JSON.stringify(argument)], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.on('message', ({ id, value, error }: { id?: number; value?: unknown; error?: { code: string } }) => {
      const answer = id === undefined ? undefined : this.#answers.get(id)
      if (error === undefined) answer?.resolve(value)
      else answer?.reject(Object.assign(new Error(JSON.stringify(error)), error))
    })
    this.#child.on('exit', () => {
      for (const { reject } of this.#answers.values()) reject(new Error('the node is gone'))
    })
  }

  async ready(): Promise<this> {
    await once(this.#child, 'message')
    return this
  }

  call<T>(op: string, args: object = {}): Promise<T> {
    const id = ++this.#last
    const answer = new Promise<T>((resolve, reject) =>
      this.#answers.set(id, { resolve: resolve as (value: unknown) => void, reject }),
    )
    answer.catch(() => undefined)
    this.#child.send({ id, op, args }, () => undefined)
    return answer
  }

  async kill9(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

const instances = statement<{ definition: string }, { id: string; status: string; input: unknown }>(
  'test_flow_instances',
  (p) => [p.definition],
  `select i.id, i.status, j.data -> 'input' as input from instance i left join journal j on j.instance_id = i.id and j.seq = 1
    where i.definition_id = $1 order by i.id`,
)

export async function openFlowSite(): Promise<FlowSite> {
  const database = await cloneDatabase(inject('postgres'))
  const db = await openPostgres({ url: database.url, ...edge })
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-flow-'))
  const sinkFile = join(folder, 'sink.jsonl')
  writeFileSync(sinkFile, '')
  const nodes: FlowNode[] = []
  return {
    db,
    node: async (options = {}) => {
      const node = new FlowNode({ url: database.url, sinkFile, name: `n${nodes.length}`, ...options })
      nodes.push(node)
      return node.ready()
    },
    sink: () =>
      readFileSync(sinkFile, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SinkLine),
    instances: (definition) => db.many(instances, { definition }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node.kill9()))
      await db.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The most instances of one key that were inside at once. One whose process died is inside until it has been through elsewhere. */
export function mostInside(lines: readonly SinkLine[]): number {
  const inside = new Map<string, Set<string>>()
  let most = 0
  for (const { kind, instanceId, key } of lines) {
    const of = inside.get(key) ?? new Set()
    inside.set(key, of)
    if (kind === 'enter') of.add(instanceId)
    else of.delete(instanceId)
    most = Math.max(most, of.size)
  }
  return most
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 90_000
  while (!(await isSo())) {
    if (systemClock.monotonic() > deadline) throw new Error(`it never was so: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
