/** What each kind of change means for instances that are under way. `GraphChange` has the three verdicts. */
import type { ActivityCatalogue } from '../../activity/activity-type.ts'
import type { FlatConnection, FlatGraph } from './flat-graph.ts'
import type { ActivityAspect, FieldChange, MigrationVerdict } from './graph-change.ts'

export interface Judgement {
  readonly migration: MigrationVerdict
  readonly reason: string
}

const safe = (reason: string): Judgement => ({ migration: 'safe', reason })
const care = (reason: string): Judgement => ({ migration: 'needs-care', reason })
const breaks = (reason: string): Judgement => ({ migration: 'breaks', reason })

const RANK: readonly MigrationVerdict[] = ['safe', 'needs-care', 'breaks']

export function worst(verdicts: Iterable<MigrationVerdict>): MigrationVerdict {
  let rank = 0
  for (const verdict of verdicts) rank = Math.max(rank, RANK.indexOf(verdict))
  return RANK[rank]!
}

export function judgeAdded(id: string, isStart: boolean): Judgement {
  return isStart
    ? care(`"${id}" is where its graph starts: an instance that is past that point never runs it`)
    : safe(`An instance runs "${id}" if it comes to it`)
}

export function judgeRemoved(id: string, isContainer: boolean): Judgement {
  return breaks(
    isContainer ? `An instance inside "${id}" has nowhere to go on` : `An instance at "${id}" has nowhere to go on`,
  )
}

export function judgeRenamed(from: string, to: string): Judgement {
  return care(`The journal knows "${from}": migrate with "${from}" mapped to "${to}"`)
}

export function judgeAspect(
  aspect: ActivityAspect,
  id: string,
  type: string,
  fields: readonly FieldChange[],
  catalogue: ActivityCatalogue | undefined,
): Judgement {
  switch (aspect) {
    case 'type':
      return breaks(`What is recorded of "${id}" belongs to another type of activity`)
    case 'place':
      return breaks(`"${id}" is in another graph: what is recorded of it is not found there`)
    case 'parts':
      return fields.some(isLost)
        ? breaks(`"${id}" lost a nested graph: an instance inside it has nowhere to go on`)
        : care(`"${id}" has a new nested graph: an instance that is inside "${id}" does not run it`)
    case 'inputs':
      return catalogue?.get(type)?.kind === 'control'
        ? safe(`"${id}" decides at once, with the inputs of the version it runs on`)
        : care(`An instance that waits or tries again at "${id}" began with the old inputs`)
    case 'policy':
      return judgePolicy(id, fields)
    case 'text':
      return safe('Only what people read')
  }
}

function isLost({ before, after }: FieldChange): boolean {
  if (after === undefined) return true
  return typeof before === 'number' && typeof after === 'number' && after < before
}

const IN_TIME: ReadonlySet<string> = new Set(['retry', 'timeout', 'onError', 'limit', 'breaker', 'heartbeatTimeout'])

function judgePolicy(id: string, fields: readonly FieldChange[]): Judgement {
  const names = new Set(fields.map(({ pointer }) => pointer.split('/')[1]!))
  if ([...names].every((name) => IN_TIME.has(name))) return safe(`"${id}" follows it from its next attempt on`)
  if (names.has('join')) return care(`An instance may have come to "${id}" by some of its ways already`)
  return care(`An attempt at "${id}" that is under way began under the old policy`)
}

export function judgeConnection(
  change: 'added' | 'removed',
  { from, to }: FlatConnection,
  before: FlatGraph,
  after: FlatGraph,
): Judgement {
  if (change === 'removed') {
    if (!before.activities.has(to) || !after.activities.has(to)) return safe(`"${to}" is gone too`)
    return incoming(after, to) === 0
      ? care(
          `Nothing leads to "${to}" any more: in new instances it starts its graph, an instance under way does not run it`,
        )
      : care(`An instance that took this way may wait where others meet at "${to}"`)
  }
  if (!before.activities.has(to)) return safe(`"${to}" is new`)
  if (incoming(before, to) === 0) return care(`"${to}" was a start: an instance may have run it already`)
  return incoming(after, to) > 1
    ? care(`Several ways meet at "${to}": an instance that is past "${from}" does not come by this one`)
    : safe(`An instance takes it when "${from}" ends`)
}

function incoming(graph: FlatGraph, id: string): number {
  let count = 0
  for (const { to } of graph.connections.values()) if (to === id) count += 1
  return count
}

export function judgeVariable(
  name: string,
  change: 'added' | 'removed' | 'changed',
  fields: readonly FieldChange[],
): Judgement {
  if (change === 'added') return safe(`An instance gets "${name}" with its default`)
  if (change === 'removed') return care(`An instance loses the value of "${name}"`)
  return fields.some(({ pointer }) => pointer === '/type')
    ? care(`The value of "${name}" may be of the old type`)
    : safe(`An instance keeps the value that "${name}" has`)
}

/** Notes for readers inside a JSON schema. */
const IN_WORDS = /\/(title|description|examples|\$comment)$/

export function judgeWorkflow(subject: 'input' | 'output' | 'workflow', fields: readonly FieldChange[]): Judgement {
  const isId = (field: FieldChange): boolean => field.pointer === '/id'
  if (subject === 'workflow') {
    return fields.some(isId) ? breaks('It is another workflow') : safe('Only what people read')
  }
  if (fields.every(({ pointer }) => IN_WORDS.test(pointer))) return safe('Only what people read')
  return subject === 'input'
    ? care('An instance began with an input of the old schema, and expressions read it')
    : safe('An output is looked at when an instance ends')
}
