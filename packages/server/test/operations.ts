/** Workflows for verbs and tasks. */
export const flaky = (id: string) => ({
  id,
  variables: { sound: { type: 'boolean', default: false } },
  activities: [
    { id: 'check', type: 'if', inputs: { condition: { $expr: 'vars.sound' } } },
    { id: 'boom', type: 'fault', inputs: { message: 'not sound yet' } },
    { id: 'out', type: 'set-output', inputs: { name: 'ok', value: true } },
  ],
  connections: [
    { from: 'check', outcome: 'false', to: 'boom' },
    { from: 'check', outcome: 'true', to: 'out' },
  ],
})

export const resizing = (id: string) => ({
  id,
  activities: [{ id: 'resize', type: 'run-task', inputs: { task: 'resize', payload: { width: 10 } } }],
})

export const asking = (id: string) => ({
  id,
  activities: [
    {
      id: 'ask',
      type: 'human-task',
      inputs: { title: 'Approve?', form: { type: 'object', properties: { why: { type: 'string' } } } },
    },
  ],
})
