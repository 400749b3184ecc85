import { toWireId } from '@lockstep/base'
import type { BreakerWait, StoredBreaker, StoredLimit } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { closed, duration, instant, nullable, oneOf } from './schema.ts'

export const StepKey = Type.String({
  description: 'As the steps name it, escaped as a part of a path: mail%2Feu for mail/eu.',
})

const MOST = 100_000
const count = (description: string) => Type.Integer({ minimum: 1, maximum: MOST, description })

export const LimitBody = Type.Object(
  {
    concurrency: Type.Optional(count('Attempts at once.')),
    rate: Type.Optional(
      closed({ limit: count('Attempts that may begin in any span of per.'), per: duration('At most 366d.') }),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'At least one of the two.' },
)

const rule = {
  concurrency: nullable('integer', { description: 'Attempts at once; null: no bound.' }),
  rate: Type.Unsafe<unknown>({
    type: ['object', 'null'],
    properties: { limit: { type: 'integer' }, perMs: { type: 'integer' } },
    required: ['limit', 'perMs'],
    description: 'Attempts that may begin in any span of perMs; null: no bound.',
  }),
}

export const LimitReply = Type.Object({
  key: Type.String(),
  ...rule,
  declared: Type.Object(rule, { description: 'What the steps say.' }),
  setAt: instant('When somebody set it; null: what the steps say counts.'),
  running: Type.Integer({ description: 'Attempts that are in.' }),
  waiting: Type.Integer({ description: 'Steps that wait for their turn.' }),
})

const toWireRule = ({ concurrency, rate }: StoredLimit['declared']) => ({
  concurrency: concurrency ?? null,
  rate: rate === undefined ? null : { limit: rate.limit, perMs: rate.perMs },
})

export const toWireLimit = ({ key, declared, set, running, waiting }: StoredLimit) => ({
  key,
  ...toWireRule(set ?? declared),
  declared: toWireRule(declared),
  setAt: iso(set?.at),
  running,
  waiting,
})

export const BreakerReply = Type.Object({
  key: Type.String(),
  state: oneOf(['closed', 'open', 'half-open']),
  reason: nullable('string', { description: 'Why it opened last.' }),
  openedAt: instant(),
  openForMs: Type.Integer({ description: 'Until a probe may be made; 0: it may be made now, or it is closed.' }),
  probeNodeId: nullable('string', { description: 'Node whose probe is under way.' }),
  probeForMs: nullable('integer', { description: 'Until that probe is given up.' }),
  generation: Type.Integer({ description: 'Rises with every change.' }),
  changedAt: instant(),
  waiting: Type.Integer({ description: 'Steps that wait for it, counted up to 100.' }),
  waitingSteps: Type.Array(Type.Object({ instanceId: Type.String(), step: Type.String() }), {
    description: 'The first of them.',
  }),
})

const MOST_STEPS = 10

export const toWireBreaker = (breaker: StoredBreaker, waits: readonly BreakerWait[]) => ({
  key: breaker.key,
  state: breaker.state,
  reason: breaker.reason ?? null,
  openedAt: iso(breaker.openedAt),
  openForMs: Math.ceil(breaker.openForMs),
  probeNodeId: breaker.probeNode === undefined ? null : toWireId('node', breaker.probeNode),
  probeForMs: breaker.probeForMs === undefined ? null : Math.ceil(breaker.probeForMs),
  generation: breaker.generation,
  changedAt: iso(breaker.changedAt),
  ...waitingOf(waits.filter(({ key }) => key === breaker.key)),
})

const waitingOf = (waits: readonly BreakerWait[]) => ({
  waiting: waits.length,
  waitingSteps: waits
    .slice(0, MOST_STEPS)
    .map(({ instanceId, step }) => ({ instanceId: toWireId('instance', instanceId), step })),
})
