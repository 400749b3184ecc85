// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are texts that hold templates
import type { Template } from '../template.ts'

export const pollUntilReady: Template = {
  key: 'poll-until-ready',
  title: 'Poll until ready',
  about:
    'Begins a job elsewhere and asks every half minute whether it is done. Waiting costs nothing, and outlives any node.',
  document: {
    variables: { state: { type: 'string', default: 'pending' } },
    activities: [
      {
        id: 'begin',
        name: 'Begin the job',
        type: 'http-request',
        inputs: { method: 'POST', url: 'https://example.com/jobs', body: {} },
        retry: { attempts: 5 },
      },
      {
        id: 'poll',
        name: 'Until it is ready',
        type: 'while',
        inputs: { condition: { $expr: "vars.state === 'pending'" }, maxTurns: 500 },
        body: {
          activities: [
            { id: 'pause', name: 'Half a minute', type: 'delay', inputs: { duration: '30s' } },
            {
              id: 'check',
              name: 'Ask for its state',
              type: 'http-request',
              inputs: { method: 'GET', url: { $expr: '`https://example.com/jobs/${steps.begin.output.body.id}`' } },
              retry: { attempts: 5 },
            },
            {
              id: 'note',
              name: 'Remember it',
              type: 'set-variable',
              inputs: { name: 'state', value: { $expr: 'steps.check.output.body.state' } },
            },
          ],
          connections: [
            { from: 'pause', to: 'check' },
            { from: 'check', to: 'note' },
          ],
        },
      },
      { id: 'out', type: 'set-output', inputs: { name: 'state', value: { $expr: 'vars.state' } } },
    ],
    connections: [
      { from: 'begin', to: 'poll' },
      { from: 'poll', to: 'out' },
    ],
  },
}
