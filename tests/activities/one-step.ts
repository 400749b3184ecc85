import type { JsonObject } from '@lockstep/base'

const result = (name: string, $expr: string) => ({ id: name, type: 'set-output', inputs: { name, value: { $expr } } })

/** A workflow of one step: its output ends up as `output`, or its error as `error`. */
export function oneStep(id: string, type: string, inputs: JsonObject, more: JsonObject = {}) {
  return {
    id,
    activities: [
      { id: 'do', type, inputs, onError: 'outcome', ...more },
      result('output', 'steps.do.output'),
      result('error', 'steps.do.error'),
    ],
    connections: [
      { from: 'do', to: 'output' },
      { from: 'do', outcome: 'failed', to: 'error' },
    ],
  }
}

/** Quick repetitions. */
export const retried = (attempts: number): JsonObject => ({
  retry: { attempts, backoff: { initial: '5ms', max: '5ms' }, jitter: false },
})
