import { isJsonObject, type Json } from '@lockstep/base'
import { setMember } from '../../graph/own-member.ts'

/** Names in the order in which people read them; others follow, sorted. */
const DOCUMENT = ['$schema', 'id', 'name', 'description', 'input', 'output', 'variables', 'activities', 'connections']
const ACTIVITY = [
  ...['id', 'type', 'name', 'description', 'inputs', 'retry', 'timeout'],
  ...['heartbeatTimeout', 'lock', 'limit', 'breaker', 'effect', 'onError', 'join'],
  ...['body', 'branches', 'catch', 'finally'],
]
const GRAPH = ['activities', 'connections']
const CONNECTION = ['from', 'outcome', 'to']
const RETRY = ['attempts', 'backoff', 'jitter', 'nonRetryable']
const BACKOFF = ['initial', 'factor', 'max']
const VARIABLE = ['type', 'default', 'description']

type Order = (value: Json) => Json
type Members = Readonly<Record<string, Order>>

/** The same document with its members in one order, so that equal documents are equal text. Lists keep theirs. */
export function inCanonicalOrder(document: Json): Json {
  return ordered(DOCUMENT, { ...graphMembers, variables: each(ordered(VARIABLE)) })(document)
}

function ordered(first: readonly string[], members: Members = {}): Order {
  return (value) => {
    if (!isJsonObject(value)) return sorted(value)
    const known = first.filter((name) => Object.hasOwn(value, name))
    const others = Object.keys(value).filter((name) => !first.includes(name))
    const result: Record<string, Json> = {}
    for (const name of [...known, ...others.sort()]) {
      const order = Object.hasOwn(members, name) ? members[name]! : sorted
      setMember(result, name, order(value[name]!))
    }
    return result
  }
}

const list =
  (order: Order): Order =>
  (value) =>
    Array.isArray(value) ? value.map((item: Json) => order(item)) : sorted(value)

const each =
  (order: Order): Order =>
  (value) => {
    if (!isJsonObject(value)) return sorted(value)
    const result: Record<string, Json> = {}
    for (const name of Object.keys(value).sort()) setMember(result, name, order(value[name]!))
    return result
  }

function sorted(value: Json): Json {
  if (value === 0) return 0 // JSON has no -0, YAML would write one
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map(sorted) : each(sorted)(value)
}

const graph: Order = (value) => ordered(GRAPH, graphMembers)(value)
const graphMembers: Members = {
  activities: list((value) => activity(value)),
  connections: list(ordered(CONNECTION)),
}
const activity = ordered(ACTIVITY, {
  retry: ordered(RETRY, { backoff: ordered(BACKOFF) }),
  body: graph,
  branches: list(graph),
  catch: graph,
  finally: graph,
})
