import type { Json, JsonObject } from '@lockstep/base'

/** Short ways to write what Elsa Studio exports. */
export const literal = (value: Json, typeName = 'String'): JsonObject => ({
  typeName,
  expression: { type: 'Literal', value },
  memoryReference: { id: 'x:input-1' },
})
export const script = (value: string): JsonObject => ({ typeName: 'Object', expression: { type: 'JavaScript', value } })
export const inLanguage = (type: string, value: Json): JsonObject => ({
  typeName: 'Object',
  expression: { type, value },
})

export const elsa = (type: string, id: string, more: JsonObject = {}): JsonObject => ({
  id,
  nodeId: `Workflow1:${id}`,
  name: id,
  type: `Elsa.${type}`,
  version: 1,
  customProperties: { canStartWorkflow: false, runAsynchronously: false },
  metadata: { designer: { position: { x: 10, y: 20 } } },
  ...more,
})
export const writes = (id: string, text = 'hello'): JsonObject => elsa('WriteLine', id, { text: literal(text) })
export const sequence = (...activities: Json[]): JsonObject => elsa('Sequence', 'Sequence1', { activities })
export const link = (from: string, to: string, port = 'Done'): JsonObject => ({
  source: { activity: from, port },
  target: { activity: to, port: 'In' },
  vertices: [],
})
export const flowchart = (activities: Json[], connections: Json[], more: JsonObject = {}): JsonObject =>
  elsa('Flowchart', 'Flowchart1', { activities, connections, ...more })
export const definition = (root: Json, more: JsonObject = {}): JsonObject => ({
  id: '1f',
  definitionId: '7A3B-order',
  name: 'Order',
  version: 3,
  isPublished: true,
  toolVersion: '3.2.0.0',
  variables: [
    { id: 'var-1', name: 'Total', typeName: 'Int32', isArray: false, value: '5' },
    { id: 'var-2', name: 'customer name', typeName: 'String', isArray: false, value: null },
  ],
  inputs: [{ name: 'Amount', type: 'Double', description: 'How much' }],
  outputs: [{ name: 'Result', type: 'Object' }],
  root,
  ...more,
})
