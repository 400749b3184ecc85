import type { ChosenFlowPolicy } from '@lockstep/engine'
import { FlowPolicyNotFound } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID, definitionIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { revisionOf, toEtag, toStateEtag } from '../wire/etag.ts'
import {
  FlowPolicyBody,
  FlowPolicyItem,
  FlowPolicyReply,
  toWireFlowLoad,
  toWireFlowPolicy,
} from '../wire/flow-policy.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, noContent } from '../wire/schema.ts'

const CURSOR = new RegExp(DEFINITION_ID)
const ZERO = /^"?0+"?$/
/** Policies begin at revision 0, so that a tag of somebody else needs a number of its own. */
const NO_REVISION = -1

function expected(headers: Readonly<Record<string, string | string[] | undefined>>): { ifRevision?: number } {
  const ifMatch = headers['if-match'] as string | undefined
  const revision = revisionOf(ifMatch)
  if (revision === undefined) return {}
  return { ifRevision: revision === 0 && !ZERO.test(ifMatch!.trim()) ? NO_REVISION : revision }
}

export const listFlowPolicies = route({
  method: 'GET',
  path: '/flow-policies',
  name: 'listFlowPolicies',
  permission: 'flow:read',
  summary: 'Lists how starts are held back, by workflow.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(FlowPolicyItem, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const cursor = fromCursor(text, '', CURSOR)
    const after = cursor === undefined ? {} : { after: cursor.key }
    const rows = await engine.flow.list({ tenant, limit: limit + 1, ...after })
    const key = (row: (typeof rows)[number]) => row.definitionId
    return { status: 200, body: toForwardList(rows, toWireFlowPolicy, { cursor, limit, key }) }
  },
})

export const getFlowPolicy = route({
  method: 'GET',
  path: '/flow-policies/:id',
  name: 'getFlowPolicy',
  permission: 'flow:read',
  summary: 'Answers the flow policy of a workflow, with what it holds back at the moment.',
  id: DefinitionId,
  cached: true,
  replies: { 200: FlowPolicyReply },
  problems: ['DEFINITION_NOT_FOUND', 'FLOW_POLICY_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const definitionId = definitionIdOf(params.id)
    const load = await engine.flow.get(definitionId, tenant)
    if (load === undefined) throw new FlowPolicyNotFound({ definitionId })
    const body = toWireFlowLoad(load)
    return { status: 200, body, etag: toStateEtag(load.revision, body) }
  },
})

export const putFlowPolicy = route({
  method: 'PUT',
  path: '/flow-policies/:id',
  name: 'setFlowPolicy',
  permission: 'flow:write',
  summary: 'Puts a flow policy in force instead of what the workflow declares, for starts that wait too.',
  id: DefinitionId,
  body: FlowPolicyBody,
  bodyJudge: 'engine',
  ifMatch: 'optional',
  replies: { 200: FlowPolicyReply },
  problems: ['DEFINITION_NOT_FOUND', 'FLOW_POLICY_INVALID', 'FLOW_POLICY_CHANGED'],
  async handle({ engine, tenant }, { params, body, headers }) {
    const options = { tenant, ...expected(headers) }
    // No body is no wish to go back to what is declared: that is DELETE.
    const policy = (body ?? null) as ChosenFlowPolicy
    const definitionId = definitionIdOf(params.id)
    const before = await engine.flow.get(definitionId, tenant)
    const load = await engine.flow.set(definitionId, policy, options)
    const change = { before: before?.policy ?? null, after: load.policy ?? null }
    return { status: 200, body: toWireFlowLoad(load), etag: toEtag(load.revision), change }
  },
})

export const deleteFlowPolicy = route({
  method: 'DELETE',
  path: '/flow-policies/:id',
  name: 'deleteFlowPolicy',
  permission: 'flow:write',
  summary: 'Takes back what was set: what the workflow declares is in force again. Repeating it is harmless.',
  id: DefinitionId,
  ifMatch: 'optional',
  replies: { 204: noContent },
  problems: ['DEFINITION_NOT_FOUND', 'FLOW_POLICY_CHANGED'],
  async handle({ engine, tenant }, { params, headers }) {
    await engine.flow.set(definitionIdOf(params.id), undefined, { tenant, ...expected(headers) })
    return { status: 204, body: undefined }
  },
})
