import { type Coordinator, LeaseLost, type LeaseTicket, parseFence } from '@lockstep/coordination'
import Type from 'typebox'
import { LAB_TRACKS, LAB_TTL_MS, LAB_WAIT_MS, type LockLab, labKey } from '../lock-lab/lock-lab.ts'
import { InvalidRequest, LockLabNotOffered } from '../problem/request-errors.ts'
import { type ApiContext, route } from '../route/route.ts'
import { closed, flag, nullable, oneOf } from '../wire/schema.ts'

const Track = Type.Integer({ minimum: 1, maximum: LAB_TRACKS, description: 'Track 3 races for the lock `lab/race-3`.' })
const Fence = Type.String({ pattern: '^[1-9][0-9]{0,18}$', description: 'As it was granted.' })
const TtlMs = Type.Integer({
  ...{ minimum: LAB_TTL_MS.least, maximum: LAB_TTL_MS.most },
  description: 'How long the lease lives without renewal.',
})
const Held = closed({
  track: Track,
  fence: Fence,
  token: Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$', description: 'As it was granted.' }),
  ttlMs: TtlMs,
})

const shared = { permission: 'locks:release', reach: 'cluster', audit: 'never', secret: true } as const
const problems = ['LOCK_LAB_NOT_OFFERED', 'RATE_LIMITED', 'PROVIDER_UNAVAILABLE'] as const

interface OpenLab {
  readonly lab: LockLab
  readonly locks: Coordinator
}

function openLab({ lockLab, locks }: ApiContext): OpenLab {
  if (lockLab?.isOffered() !== true || locks === undefined) throw new LockLabNotOffered({})
  return { lab: lockLab, locks: locks() }
}

export const getLockLab = route({
  method: 'GET',
  path: '/lock-lab',
  name: 'getLockLab',
  permission: 'locks:read',
  reach: 'cluster',
  summary:
    'Whether this server has a lock lab, which only `lockstep dev` and `lockstep cluster dev` do, and its bounds.',
  replies: {
    200: Type.Object({
      offered: flag('Whether there is one.'),
      tracks: Type.Integer({ description: 'Races that can go on beside each other.' }),
      ttlMs: Type.Object({ least: Type.Integer(), most: Type.Integer() }),
    }),
  },
  problems: [],
  handle: async ({ lockLab, locks }) => ({
    status: 200,
    body: {
      offered: lockLab?.isOffered() === true && locks !== undefined,
      tracks: LAB_TRACKS,
      ttlMs: { ...LAB_TTL_MS },
    },
  }),
})

export const acquireInLab = route({
  ...shared,
  method: 'POST',
  path: '/lock-lab/acquire',
  name: 'acquireInLab',
  summary:
    'Only under `lockstep dev` and `lockstep cluster dev`: a worker of the lock lab asks for its lock, and waits for it.',
  body: closed({
    track: Track,
    worker: Type.String({ pattern: '^[A-E]$', description: 'A to E.' }),
    ttlMs: TtlMs,
    waitMs: Type.Integer({ minimum: 0, maximum: LAB_WAIT_MS }),
  }),
  replies: {
    200: Type.Object({
      outcome: oneOf(['granted', 'busy']),
      fence: nullable('string', { description: 'Rises with every grant: to be named with every write.' }),
      token: nullable('string', { description: 'With which the lease is renewed and released, on any node.' }),
    }),
  },
  problems,
  async handle(context, { body: { track, worker, ttlMs, waitMs }, gone, rest }) {
    const { lab, locks } = openLab(context)
    // Nobody here renews it: whoever holds it does, or lets it end.
    const asked = { ttlMs, waitMs, renew: false, meta: { owner: `lab worker ${worker}` } }
    const acquire = (closing: AbortSignal) => {
      const signal = AbortSignal.any([closing, gone])
      return unlessAborted(signal, locks.mutex(labKey(track)).tryAcquire({ ...asked, signal }))
    }
    const got = await lab.wait(() => rest(() => context.waits.within(acquire)))
    // Whoever asked has hung up: the others need not wait for its end.
    if (got?.ok === true && gone.aborted) await got.release()
    const ticket = got?.ok === true && !gone.aborted ? await unlessLost(async () => got.detach()) : undefined
    if (ticket === undefined) return { status: 200, body: { outcome: 'busy', fence: null, token: null } }
    return { status: 200, body: { outcome: 'granted', fence: ticket.fence, token: ticket.token } }
  },
})

const ticketOf = ({ track, ...held }: { track: number; fence: string; token: string; ttlMs: number }): LeaseTicket => ({
  ...held,
  name: labKey(track),
  kind: 'mutex',
})

export const renewInLab = route({
  ...shared,
  method: 'POST',
  path: '/lock-lab/renew',
  name: 'renewInLab',
  summary: 'Only under `lockstep dev` and `lockstep cluster dev`: a worker of the lock lab renews its lease.',
  body: Held,
  replies: { 200: Type.Object({ outcome: oneOf(['renewed', 'lost'], 'lost: it had ended, and may be of another.') }) },
  problems,
  async handle(context, { body }) {
    const { lab, locks } = openLab(context)
    lab.pass()
    const ticket = await unlessLost(async () => (await locks.attach(ticketOf(body))).detach())
    return { status: 200, body: { outcome: ticket === undefined ? 'lost' : 'renewed' } }
  },
})

export const releaseInLab = route({
  ...shared,
  method: 'POST',
  path: '/lock-lab/release',
  name: 'releaseInLab',
  summary: 'Only under `lockstep dev` and `lockstep cluster dev`: a worker of the lock lab gives its lease back.',
  body: Held,
  replies: { 200: Type.Object({ outcome: oneOf(['released', 'lost'], 'lost: it had ended before.') }) },
  problems,
  async handle(context, { body }) {
    const { lab, locks } = openLab(context)
    lab.pass()
    const lease = await unlessLost(() => locks.attach(ticketOf(body)))
    return { status: 200, body: { outcome: (await lease?.release()) ?? 'lost' } }
  },
})

export const writeInLab = route({
  ...shared,
  method: 'POST',
  path: '/lock-lab/write',
  name: 'writeInLab',
  summary:
    'Only under `lockstep dev` and `lockstep cluster dev`: a worker of the lock lab writes to what its lock protects, which refuses a fence that is older than one it has seen.',
  body: closed({ track: Track, fence: Fence }),
  replies: {
    200: Type.Object({
      outcome: oneOf(['written', 'refused']),
      seen: nullable('string', { description: 'Where it was refused: the fence of the later holder.' }),
    }),
  },
  problems,
  async handle(context, { body: { track, fence: text } }) {
    const { lab } = openLab(context)
    lab.pass()
    const fence = parseFence(text)
    const fault = '"fence" must be a number that a store hands out'
    if (fence === undefined) throw new InvalidRequest({ errors: [{ in: 'body', field: '/fence', text: fault }] })
    const write = await lab.resource.write(labKey(track), fence)
    const seen = write.status === 'refused' ? (write.seen?.toString() ?? null) : null
    return { status: 200, body: { outcome: write.status, seen } }
  },
})

/** Who hung up, or is let go, gets nothing. */
async function unlessAborted<T>(signal: AbortSignal, got: Promise<T>): Promise<T | undefined> {
  try {
    return await got
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Expected here: it is what the lab shows. */
async function unlessLost<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (LeaseLost.is(error)) return undefined
    throw error
  }
}
