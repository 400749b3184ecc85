import { toWireId } from '@lockstep/base'
import Type from 'typebox'
import { route } from '../route/route.ts'
import { toStateEtag } from '../wire/etag.ts'
import { listOf, toWholeList, WHOLE } from '../wire/list.ts'
import { Setting } from '../wire/setting.ts'

export const listSettings = route({
  method: 'GET',
  path: '/settings',
  name: 'listSettings',
  permission: 'settings:read',
  cached: true,
  reach: 'cluster',
  summary:
    'What the node that answers runs with, option by option, and who set it; no secrets. Nothing here changes while a node runs: rules of retention, flow policies, limits and secrets have operations of their own.',
  replies: {
    200: Type.Object({
      ...listOf(Setting, WHOLE).properties,
      nodeId: Type.String({ description: 'Others may run with other options.' }),
      clusterName: Type.String(),
    }),
  },
  problems: [],
  async handle({ engine, settings, clusterName }) {
    const body = { nodeId: toWireId('node', engine.nodeId), clusterName, ...toWholeList(settings) }
    return { status: 200, body, etag: toStateEtag(0, body) }
  },
})
