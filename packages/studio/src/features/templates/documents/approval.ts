// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are texts that hold templates
import type { Template } from '../template.ts'

export const approval: Template = {
  key: 'approval',
  title: 'Approval with time-out',
  about: 'Large amounts ask a person; who does not answer in a week has refused.',
  document: {
    input: {
      type: 'object',
      required: ['who', 'amount'],
      properties: { who: { type: 'string' }, amount: { type: 'number' } },
    },
    activities: [
      { id: 'big', name: 'Large amount?', type: 'if', inputs: { condition: { $expr: 'input.amount > 1000' } } },
      {
        id: 'ask',
        name: 'Ask a person',
        type: 'human-task',
        inputs: {
          title: { $expr: '`${input.who} asks for ${input.amount} euro`' },
          outcomes: ['approve', 'reject'],
          form: { type: 'object', properties: { reason: { type: 'string' } } },
          dueIn: '2d',
          timeout: '7d',
        },
      },
      { id: 'approved', type: 'set-output', inputs: { name: 'decision', value: 'approved' } },
      { id: 'rejected', type: 'set-output', inputs: { name: 'decision', value: 'rejected' } },
      { id: 'expired', name: 'Nobody answered', type: 'set-output', inputs: { name: 'decision', value: 'expired' } },
    ],
    connections: [
      { from: 'big', outcome: 'true', to: 'ask' },
      { from: 'big', outcome: 'false', to: 'approved' },
      { from: 'ask', outcome: 'approve', to: 'approved' },
      { from: 'ask', outcome: 'reject', to: 'rejected' },
      { from: 'ask', outcome: 'timeout', to: 'expired' },
    ],
  },
}
