import type { CustomActivity } from '@lockstep/engine'

/** Stands in for a call to somebody else: there is nobody else yet. */
export const sampleCall: CustomActivity = {
  type: 'sample-call',
  kind: 'action',
  title: 'Sample call',
  description: 'Plays an API that answers, or is down. It comes with the sample workflows.',
  category: 'Samples',
  icon: 'globe',
  inputs: {
    type: 'object',
    properties: { api: { enum: ['ok', 'down'] } },
    required: ['api'],
    additionalProperties: false,
  },
  outcomes: ['done'],
  runs: 'effect',
  run: async ({ api }) => {
    if (api === 'down') throw new Error('the API does not answer')
    return { kind: 'completed', outcome: 'done', output: { status: 200 } }
  },
}
