import type { Json, JsonObject } from '@lockstep/base'
import type { ActivityCatalogue } from '../../activity/activity-type.ts'
import type { GraphDocument, VariableDocument } from '../../graph/document.ts'
import { ownMember } from '../../graph/own-member.ts'
import { diffActivities } from './diff-activities.ts'
import { fieldChanges } from './field-changes.ts'
import { findRenames, type Renames, renameConnection } from './find-renames.ts'
import { connectionKey, type FlatGraph, flatten, isNote } from './flat-graph.ts'
import type { ConnectionChange, GraphChange, GraphDiff, VariableChange, WorkflowChange } from './graph-change.ts'
import { judgeConnection, judgeVariable, judgeWorkflow, worst } from './judge.ts'

/**
 * What differs between two documents of the right shape, in meaning: order, layout, notes, `x-…` members and written-out
 * defaults do not count. The same list for the same documents everywhere. With a catalogue it judges inputs more kindly.
 */
export function diffGraphs(a: GraphDocument, b: GraphDocument, catalogue?: ActivityCatalogue): GraphDiff {
  const before = flatten(a)
  const after = flatten(b)
  const renames = findRenames(before, after)
  const changes: GraphChange[] = [
    ...diffWorkflow(a, b),
    ...diffVariables(a.variables ?? {}, b.variables ?? {}),
    ...diffActivities(before, after, renames, catalogue),
    ...diffConnections(before, after, renames),
  ]
  return { changes, migration: worst(changes.map(({ migration }) => migration)) }
}

function* diffWorkflow(a: GraphDocument, b: GraphDocument): Generator<WorkflowChange> {
  const texts = ({ id, name, description, tags }: GraphDocument): JsonObject => ({
    id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags: [...tags] }),
  })
  const sides = [
    ['workflow', texts(a), texts(b)],
    ['input', a.input, b.input],
    ['output', a.output, b.output],
  ] as const
  for (const [subject, before, after] of sides) {
    const fields = fieldChanges(before, after)
    if (fields.length > 0) yield { subject, change: 'changed', fields, ...judgeWorkflow(subject, fields) }
  }
}

type Variables = Readonly<Record<string, VariableDocument>>

function* diffVariables(a: Variables, b: Variables): Generator<VariableChange> {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    const before = ownMember(a, name)
    const after = ownMember(b, name)
    const fields = fieldChanges(plainVariable(before), plainVariable(after))
    if (fields.length === 0) continue
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
    yield { subject: 'variable', change, name, fields, ...judgeVariable(name, change, fields) }
  }
}

function plainVariable(variable: VariableDocument | undefined): Json | undefined {
  if (variable === undefined) return undefined
  const members = Object.entries(variable as JsonObject).filter(
    ([name, value]) =>
      !isNote(name) && !(name === 'type' && value === 'any') && !(name === 'default' && value === null),
  )
  return Object.fromEntries(members)
}

function* diffConnections(before: FlatGraph, after: FlatGraph, renames: Renames): Generator<ConnectionChange> {
  const old = new Map(
    [...before.connections.values()].map((each) => {
      const moved = renameConnection(each, renames)
      return [connectionKey(moved), moved] as const
    }),
  )
  const known = renamedGraph(before, old, renames)
  for (const [key, connection] of old) {
    if (after.connections.has(key)) continue
    yield {
      subject: 'connection',
      change: 'removed',
      ...connection,
      ...judgeConnection('removed', connection, known, after),
    }
  }
  for (const [key, connection] of after.connections) {
    if (old.has(key)) continue
    yield {
      subject: 'connection',
      change: 'added',
      ...connection,
      ...judgeConnection('added', connection, known, after),
    }
  }
}

/** The old graph under the new names. */
function renamedGraph(before: FlatGraph, connections: FlatGraph['connections'], renames: Renames): FlatGraph {
  const activities = new Map([...before.activities].map(([id, each]) => [renames.get(id) ?? id, each]))
  return { activities, connections }
}
