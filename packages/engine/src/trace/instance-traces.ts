/**
 * One trace for one instance, whichever nodes work on it. The first fact of an instance keeps the context of its start; every later span is below
 * that. An instance that began while nobody traced has a trace of its own, made of its id.
 */
import { errorMessage } from '@lockstep/base'
import type { RecordedFact } from '../store/agenda-store.ts'
import type { InstanceReader } from '../store/instance-reader.ts'
import type { InstanceIdentity } from '../worker/execution.ts'
import { BurstTrace } from './burst-trace.ts'
import type { EngineSpan, EngineTracer } from './engine-tracer.ts'

/** Instances whose trace is remembered without asking the store. */
const MOST_KNOWN = 10_000

type Named = Pick<InstanceIdentity, 'tenant' | 'instanceId' | 'definitionId'>

export class InstanceTraces {
  readonly #tracer: EngineTracer
  readonly #instances: Pick<InstanceReader, 'journal'>
  readonly #known = new Map<string, string>()

  constructor(tracer: EngineTracer, instances: Pick<InstanceReader, 'journal'>) {
    this.#tracer = tracer
    this.#instances = instances
  }

  /** Runs a start below what is current, or below `parent`. `run` gets what the first fact is to keep. */
  async starting<T>(what: string, parent: string | undefined, run: (trace: string) => Promise<T>): Promise<T> {
    return inside(this.#tracer.span(`start ${what}`, { parent }), (span) => run(span.traceparent))
  }

  /** A resume is below who asks for it, and linked to the instance; nobody traced who asks: it is below the instance. */
  async resuming<T extends string>(tenant: string, instanceId: string, run: () => Promise<T>): Promise<T> {
    const instance = await this.find({ tenant, instanceId })
    const isTraced = this.#tracer.current() !== undefined
    const span = this.#tracer.span('resume', {
      ...(isTraced ? { links: [instance] } : { parent: instance }),
      attributes: { 'lockstep.instance': instanceId },
    })
    return inside(span, async () => {
      const outcome = await run()
      span.set({ 'lockstep.outcome': outcome })
      return outcome
    })
  }

  /** What this node does with an instance from here on. */
  burst({ instanceId, definitionId, tenant }: Named, claimNo: number, nodeId: string): BurstTrace {
    const span = this.#tracer.span(`burst ${definitionId}`, {
      parent: this.#known.get(instanceId) ?? ownTrace(instanceId),
      attributes: {
        'lockstep.instance': instanceId,
        'lockstep.definition': definitionId,
        'lockstep.tenant': tenant,
        'lockstep.node': nodeId,
        'lockstep.claim': claimNo,
      },
    })
    return new BurstTrace(this.#tracer, span)
  }

  /** Reads the trace off the first fact where that is at hand. */
  heard(instanceId: string, first: unknown): void {
    const trace = (first as { readonly trace?: unknown } | undefined)?.trace
    this.#remember(instanceId, typeof trace === 'string' ? trace : ownTrace(instanceId))
  }

  of(instanceId: string): string | undefined {
    return this.#known.get(instanceId)
  }

  async find(
    { tenant, instanceId }: Pick<InstanceIdentity, 'tenant' | 'instanceId'>,
    facts: readonly RecordedFact[] = [],
  ): Promise<string> {
    const known = this.#known.get(instanceId)
    if (known !== undefined) return known
    // Tracing must not keep an instance from running.
    const first =
      facts.find(({ seq }) => seq === 1) ?? (await this.#instances.journal(tenant, instanceId, 0, 1).catch(() => []))[0]
    if (first === undefined) return ownTrace(instanceId)
    this.heard(instanceId, first.data)
    return this.#known.get(instanceId) ?? ownTrace(instanceId)
  }

  #remember(instanceId: string, trace: string): void {
    this.#known.set(instanceId, trace)
    if (this.#known.size <= MOST_KNOWN) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

async function inside<T>(span: EngineSpan, run: (span: EngineSpan) => Promise<T>): Promise<T> {
  try {
    return await span.within(() => run(span))
  } catch (error) {
    span.fail(errorMessage(error))
    throw error
  } finally {
    span.end()
  }
}

/** Sampled, and the same on every node. */
function ownTrace(instanceId: string): string {
  const hex = instanceId.replaceAll('-', '')
  return `00-${hex}-${hex.slice(16)}-01`
}
