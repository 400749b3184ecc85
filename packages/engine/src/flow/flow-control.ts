/** Policies, the starts they hold back and the loop that lets them in, put together for one engine. */
import type { Clock, Logger } from '@lockstep/base'
import type { Sandbox } from '../expression/sandbox.ts'
import type { AnyWorkflow } from '../function/workflow-context.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { ControlledStarts } from './controlled-starts.ts'
import { Flow } from './flow.ts'
import { toFlowJson } from './flow-policy.ts'
import { FlowPump } from './flow-pump.ts'
import type { FlowStore } from './flow-store.ts'
import { GatherStarts } from './gather-starts.ts'
import { PolicyCache } from './policy-cache.ts'

export interface FlowControlOptions {
  readonly pollMs: number
  readonly store: FlowStore
  readonly clock: Clock
  readonly logger: Logger
  readonly bus: WakeBus
  readonly sandbox: Sandbox
  readonly tenant: string
  readonly workflows: Iterable<AnyWorkflow>
  readonly nodeId: () => string
  readonly onDue: () => void
  /** Claims of this node may be in nobody's hand. */
  readonly onStrayClaims: () => void
  readonly onCancelled: (instanceId: string) => void
  readonly cancel: (tenant: string, instanceId: string, reason: string) => Promise<unknown>
}

/** What nodes tell one another when starts begin to wait, or a policy has changed. */
const TOPIC = 'flow'
/** Others look by themselves while somebody waits: they need not be told of each. */
const TELL_EVERY_MS = 2_000

export class FlowControl {
  readonly policies: Flow
  readonly starts: ControlledStarts
  readonly #o: FlowControlOptions
  readonly #gathered: GatherStarts
  readonly #pump: FlowPump
  readonly #workflows: ReadonlyMap<string, AnyWorkflow>
  #toldAt = Number.NEGATIVE_INFINITY
  #unsubscribe: () => void = () => {}

  constructor(options: FlowControlOptions) {
    this.#o = options
    const { store, clock, sandbox, nodeId, cancel, onDue, bus } = options
    const logger = options.logger.area('flow')
    this.#workflows = new Map([...options.workflows].map((each) => [each.id, each]))
    const workflow = (id: string): AnyWorkflow | undefined => this.#workflows.get(id)
    const policies = new PolicyCache({ store, sandbox, workflow })
    this.#gathered = new GatherStarts({
      ...{ store, clock, logger, nodeId },
      onLate: ({ kind }) => {
        if (kind === 'started') options.onStrayClaims()
      },
    })
    this.#pump = new FlowPump({
      ...{ store, policies, clock, logger, nodeId, cancel, pollMs: options.pollMs },
      onAdmitted: onDue,
    })
    this.starts = new ControlledStarts({
      store,
      policies,
      gathered: this.#gathered,
      nodeId,
      onWaiting: () => this.#tell(),
      onDue,
      onCancelled: options.onCancelled,
    })
    this.policies = new Flow({
      store,
      declared: (id) => workflow(id)?.flow,
      onChanged: () => {
        this.#pump.wake()
        bus.publish(TOPIC)
      },
    })
  }

  /** Writes down what the code of this node says about its starts. */
  async declare(): Promise<void> {
    const { store, tenant } = this.#o
    for (const { id, version, flow } of this.#workflows.values()) {
      await store.declare(tenant, id, version, flow === undefined ? undefined : JSON.stringify(toFlowJson(flow)))
    }
  }

  /** The node has joined: it takes part. */
  run(): void {
    this.#unsubscribe = this.#o.bus.subscribe((topic) => {
      if (topic === TOPIC) this.#pump.wake()
    })
    this.#pump.run()
  }

  /** The node is about to go: no start is kept waiting for a store that is away. */
  hurry(): void {
    this.#gathered.hurry()
  }

  stop(): void {
    this.#unsubscribe()
    this.#pump.stop()
    this.#gathered.stop()
  }

  /** An instance has ended here. */
  ended(tenant: string, definitionId: string): void {
    this.#pump.ended(tenant, definitionId)
  }

  /** Something was started by somebody who knows nothing of policies. */
  wake(): void {
    this.#pump.wake()
  }

  /** An ended instance is open again: it may wait, where its starts do. */
  reopened(): void {
    this.#tell()
  }

  /** An instance was told something: it may be one that waits. */
  stimulated(): void {
    this.#pump.stimulated()
  }

  #tell(): void {
    this.#pump.wake()
    const now = this.#o.clock.monotonic()
    if (now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    this.#o.bus.publish(TOPIC)
  }
}
