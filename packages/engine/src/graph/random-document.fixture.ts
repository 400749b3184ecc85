import fc from 'fast-check'
import type { ActivityDocument, GraphBody, GraphDocument } from './document.ts'

/** What a random step does when it runs; carried in its inputs, so that shell and oracle read the same thing. */
export type Behaviour = 'ok' | 'wait' | 'retry' | 'announce' | 'fail'

interface ActivitySpec {
  readonly type: 'task' | 'for-each' | 'parallel' | 'try'
  readonly behaviour: Behaviour
  readonly outcome: 'done' | 'alt'
  readonly onError: 'fault' | 'continue' | 'outcome'
  readonly join: 'all' | 'any'
  readonly items: number
  readonly concurrency: number
  readonly graphs: readonly GraphSpec[]
  readonly withCatch: boolean
  readonly withFinally: boolean
}

interface GraphSpec {
  readonly activities: readonly ActivitySpec[]
  readonly edges: readonly (readonly [number, number, 'done' | 'alt' | 'failed' | 'caught'])[]
  readonly backEdges: readonly (readonly [number, number])[]
}

const outcomes = fc.constantFrom('done', 'done', 'done', 'alt', 'failed', 'caught')

function graphSpecs(behaviours: readonly Behaviour[], joins: readonly ('all' | 'any')[]): fc.Arbitrary<GraphSpec> {
  const base = {
    behaviour: fc.constantFrom(...behaviours),
    outcome: fc.constantFrom('done' as const, 'done' as const, 'alt' as const),
    onError: fc.constantFrom('fault' as const, 'fault' as const, 'continue' as const, 'outcome' as const),
    join: fc.constantFrom(...joins),
    items: fc.integer({ min: 0, max: 3 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    withCatch: fc.boolean(),
    withFinally: fc.boolean(),
  }
  const { graph } = fc.letrec<{ graph: GraphSpec; activity: ActivitySpec; leaf: ActivitySpec; container: ActivitySpec }>((tie) => ({
    leaf: fc.record({ ...base, type: fc.constant('task' as const), graphs: fc.constant([]) }),
    container: fc.record({
      ...base,
      type: fc.constantFrom('for-each' as const, 'parallel' as const, 'try' as const),
      graphs: fc.array(tie('graph'), { minLength: 3, maxLength: 3 }),
    }),
    activity: fc.oneof({ maxDepth: 2, withCrossShrink: true }, { weight: 4, arbitrary: tie('leaf') }, { weight: 1, arbitrary: tie('container') }),
    graph: fc.record({
      activities: fc.array(tie('activity'), { minLength: 1, maxLength: 6, depthSize: 'max' }),
      edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5), outcomes), { maxLength: 10 }),
      backEdges: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 2 }),
    }),
  }))
  return graph
}

export interface RandomDocumentOptions {
  readonly behaviours?: readonly Behaviour[]
  readonly joins?: readonly ('all' | 'any')[]
  /** Connections that lead back; the step they leave takes them a limited number of times. */
  readonly cycles?: boolean
}

/** Valid documents of every shape: nested containers, forks, merges, dead ends, failures and, if asked for, cycles. */
export function randomDocuments(options: RandomDocumentOptions = {}): fc.Arbitrary<GraphDocument> {
  const { behaviours = ['ok', 'wait', 'retry', 'announce', 'fail'], joins = ['all', 'any'], cycles = false } = options
  return graphSpecs(behaviours, joins).map((spec) => ({ id: 'random', ...documentOf(spec, cycles) }))
}

function documentOf(spec: GraphSpec, cycles: boolean): GraphBody {
  let count = 0

  function body({ activities, edges, backEdges }: GraphSpec, canFail: boolean): GraphBody {
    const documents = activities.map((activity) => activityOf(activity, canFail))
    const at = (position: number): ActivityDocument => documents[position % documents.length]!
    const forward = edges
      .map(([a, b, outcome]) => ({ from: Math.min(a, b) % documents.length, to: Math.max(a, b) % documents.length, outcome }))
      .filter(({ from, to }) => from < to)
      .map(({ from, to, outcome }) => ({ from: at(from).id, to: at(to).id, outcome }))
    const backward = backEdges
      // Never to the first: something has to start.
      .map(([a, b]) => ({ from: Math.max(a, b) % documents.length, to: Math.min(a, b) % documents.length }))
      .filter(({ from, to }) => cycles && to > 0 && from >= to && documents[from]!.type === 'task')
      .map(({ from, to }) => ({ from: at(from).id, to: at(to).id, outcome: 'again' }))
    const entries = backward.filter(({ to }) => !forward.some((edge) => edge.to === to)).map(({ to }) => ({ from: documents[0]!.id, to }))
    return { activities: documents, connections: [...forward, ...entries, ...backward] }
  }

  function activityOf(activity: ActivitySpec, canFail: boolean): ActivityDocument {
    const id = `a${count++}`
    const { join, onError } = activity
    const first = activity.graphs[0]
    switch (activity.type) {
      case 'task': {
        const behaviour = activity.behaviour === 'fail' && !canFail ? 'ok' : activity.behaviour
        return { id, type: 'task', join, onError, inputs: { behaviour, outcome: activity.outcome } }
      }
      case 'for-each': {
        const items = Array.from({ length: activity.items }, (_, n) => n)
        return { id, type: 'for-each', join, onError, inputs: { items, concurrency: activity.concurrency }, body: body(first!, canFail) }
      }
      case 'parallel': {
        const isRace = activity.items === 0
        // Which branch of a race fails first depends on the order of events: nothing an oracle could know.
        const branches = activity.graphs.map((graph) => body(graph, canFail && !isRace))
        return { id, type: 'parallel', join, onError, inputs: { join: isRace ? 'any' : 'all' }, branches }
      }
      case 'try':
        return {
          id,
          type: 'try',
          join,
          onError,
          body: body(first!, canFail),
          ...(activity.withCatch && { catch: body(activity.graphs[1]!, canFail) }),
          ...(activity.withFinally && { finally: body(activity.graphs[2]!, canFail) }),
        }
    }
  }

  return body(spec, true)
}
