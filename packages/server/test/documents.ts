/** Ends at once; `sum` is what the loop added up. */
export const sums = (id: string) => ({
  id,
  name: 'Sums',
  input: { type: 'object', properties: { items: { type: 'array', items: { type: 'number' } } }, required: ['items'] },
  variables: { total: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: { $expr: 'input.items' } },
      body: {
        activities: [
          { id: 'add', type: 'set-variable', inputs: { name: 'total', value: { $expr: 'vars.total + item' } } },
        ],
      },
    },
    { id: 'out', type: 'set-output', inputs: { name: 'sum', value: { $expr: 'vars.total' } } },
  ],
  connections: [{ from: 'loop', to: 'out' }],
})

/** Waits for the event `approved`; answers who approved. */
export const approval = (id: string) => ({
  id,
  name: 'Approval',
  activities: [
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'approved' } },
    { id: 'out', type: 'set-output', inputs: { name: 'by', value: { $expr: 'steps.ask.output.by' } } },
  ],
  connections: [{ from: 'ask', to: 'out' }],
})

/** Waits for two things at once. */
export const twoWaits = (id: string) => ({
  id,
  activities: [
    { id: 'left', type: 'wait-for-event', inputs: { event: 'left' } },
    { id: 'right', type: 'wait-for-event', inputs: { event: 'right' } },
  ],
})

export const faulty = (id: string) => ({
  id,
  activities: [{ id: 'boom', type: 'fault', inputs: { message: 'no more paper' } }],
})
