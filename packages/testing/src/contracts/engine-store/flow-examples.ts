import type { ControlledStart, FlowVerdict } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import {
  type Bench,
  COMPLETED,
  type ContractNode,
  checkpoint,
  HOUR,
  QUEUE,
  startItem,
  TENANT,
  WORKFLOW,
} from './fixture.ts'

const ENDED = { facts: [{ kind: 'ended', data: '{"status":"completed"}' }], then: COMPLETED } as const
const FAULTED = {
  facts: [{ kind: 'ended', data: '{"status":"faulted"}' }],
  then: { kind: 'end', status: 'faulted' },
} as const

interface FlowBench extends Bench {
  readonly node: ContractNode
  /** Puts a policy in force. */
  set(policy: object | undefined): Promise<number>
  /** Sends one start under the policy in force. */
  start(extra?: Partial<Omit<ControlledStart, 'keys' | 'item'>> & Extra): Promise<FlowVerdict & { id: string }>
  pump(): ReturnType<Bench['store']['flow']['pump']>
  /** Claims all that is due, and answers the ids in order. */
  claimed(): Promise<string[]>
  /** Ends an instance that `claimed` answered, or that was started here. */
  end(id: string, claimNo?: number): Promise<void>
  /** The same, as faulted. */
  fault(id: string): Promise<void>
  /** Sends it back to work. */
  retry(id: string): ReturnType<Bench['store']['verbs']['retry']>
}

interface Extra {
  readonly keys?: Partial<ControlledStart['keys']>
  readonly item?: Parameters<typeof startItem>[1]
}

async function flowBench(open: () => Promise<Bench>): Promise<FlowBench> {
  const b = await open()
  const node = await b.joined()
  await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
  return {
    ...b,
    node,
    set: async (policy) => {
      const verdict = await b.store.flow.set(TENANT, WORKFLOW, policy && JSON.stringify(policy))
      if (verdict.kind !== 'set') throw new Error(verdict.kind)
      return verdict.revision
    },
    start: async ({ keys, item, ...extra } = {}) => {
      const { revision } = (await b.store.flow.get(TENANT, WORKFLOW))!
      const made = startItem(b.newId(), { claimed: false, ...item })
      const none = { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined }
      const start = { item: made, revision, keys: { ...none, ...keys }, priority: 0, ...extra }
      const [verdict] = await b.store.flow.start(node.id, [start])
      return { ...verdict!, id: made.instanceId }
    },
    pump: () => b.store.flow.pump(node.id),
    claimed: async () => (await node.claim()).map((claim) => claim.instanceId),
    end: async (id, claimNo = 1) => {
      const answer = await node.checkpoint(checkpoint(id, { ...ENDED, claimNo }))
      expect(answer.checkpoints).toEqual([{ kind: 'written' }])
    },
    fault: async (id) => {
      const answer = await node.checkpoint(checkpoint(id, FAULTED))
      expect(answer.checkpoints).toEqual([{ kind: 'written' }])
    },
    retry: (instanceId) =>
      b.store.verbs.retry({
        ...{ tenant: TENANT, instanceId, messages: [{ kind: 'retry', payload: '{}' }] },
        ...{ queue: undefined, force: false, note: undefined, operationId: undefined },
      }),
  }
}

export function flowExamples(open: () => Promise<Bench>): void {
  it('refuses plain starts of a definition with a policy, and starts them when it is gone', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const plain = await b.node.start(startItem(b.newId()), startItem(b.newId(), { dedupeKey: 'k' }))
    expect(plain.starts.map((verdict) => verdict.kind)).toEqual(['unknown-definition', 'unknown-definition'])
    await b.set({})
    expect((await b.start()).kind).toBe('plain')
    expect((await b.node.start(startItem(b.newId()))).starts).toMatchObject([{ kind: 'started' }])
  })

  it('refuses a version that must be the published one and is not', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const guessed = { item: { version: 1, onlyPublished: true } }
    expect(await b.start(guessed)).toMatchObject({ kind: 'started', version: 1 })
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 2)
    expect((await b.start(guessed)).kind).toBe('unknown-definition')
    expect(await b.start({ item: { version: 2, onlyPublished: true } })).toMatchObject({ kind: 'queued', version: 2 })
  })

  it('keeps policies with their revision, and what is chosen before what is declared', async () => {
    const b = await flowBench(open)
    const { flow } = b.store
    expect(await flow.get(TENANT, WORKFLOW)).toBeUndefined()
    expect(await flow.set(TENANT, 'nobody', '{}')).toEqual({ kind: 'not-found' })
    await flow.declare(TENANT, WORKFLOW, 2, '{"concurrency":{"limit":2}}')
    expect(await flow.get(TENANT, WORKFLOW)).toMatchObject({ revision: 1, policy: { concurrency: { limit: 2 } } })
    await flow.declare(TENANT, WORKFLOW, 1, '{"concurrency":{"limit":9}}')
    await flow.declare(TENANT, WORKFLOW, 2, '{"concurrency":{"limit":2}}')
    expect((await flow.get(TENANT, WORKFLOW))!.revision).toBe(1)
    expect(await flow.set(TENANT, WORKFLOW, '{"concurrency":{"limit":5}}', 7)).toEqual({ kind: 'changed', revision: 1 })
    expect(await flow.set(TENANT, WORKFLOW, '{"concurrency":{"limit":5}}', 1)).toEqual({ kind: 'set', revision: 2 })
    expect(await flow.get(TENANT, WORKFLOW)).toMatchObject({
      declared: { concurrency: { limit: 2 } },
      chosen: { concurrency: { limit: 5 } },
      policy: { concurrency: { limit: 5 } },
    })
    await b.set({})
    expect((await flow.get(TENANT, WORKFLOW))!.policy).toBeUndefined()
    await b.set(undefined)
    expect((await flow.get(TENANT, WORKFLOW))!.policy).toEqual({ concurrency: { limit: 2 } })
    await flow.declare(TENANT, WORKFLOW, 3, undefined)
    expect((await flow.get(TENANT, WORKFLOW))!.policy).toBeUndefined()
    expect((await flow.list(TENANT, undefined, 10)).map((row) => row.definitionId)).toEqual([WORKFLOW])
    expect(await flow.list(TENANT, WORKFLOW, 10)).toEqual([])
    expect(await flow.list('other', undefined, 10)).toEqual([])
  })

  it('lets as many live at once as the limit says, and the next one in when one has ended', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 2 } })
    const starts = [await b.start(), await b.start(), await b.start(), await b.start()]
    expect(starts.map((verdict) => verdict.kind)).toEqual(['started', 'started', 'queued', 'queued'])
    const running = await b.claimed()
    expect(running.sort()).toEqual([starts[0]!.id, starts[1]!.id].sort())
    expect((await b.pump()).admitted).toBe(0)
    await b.end(running[0]!)
    expect((await b.pump()).admitted).toBe(1)
    expect(await b.claimed()).toEqual([starts[2]!.id])
    expect((await b.pump()).admitted).toBe(0)
    expect(await b.store.flow.get(TENANT, WORKFLOW)).toMatchObject({ alive: 2, waiting: 1, gathering: 0 })
    expect(await b.store.instances.get(TENANT, starts[3]!.id)).toMatchObject({ status: 'queued', input: { amount: 7 } })
  })

  it('holds a slot while the instance rests, and when its owner is buried', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const first = await b.start({ item: { claimed: true } })
    expect(first).toMatchObject({ kind: 'started', here: true })
    const second = await b.start()
    await b.store.membership.bury({ id: b.node.id, beat: 0 })
    const survivor = await b.joined()
    expect((await b.store.flow.pump(survivor.id)).admitted).toBe(0)
    const [claim] = await survivor.claim()
    expect(claim).toMatchObject({ instanceId: first.id, claimNo: 2 })
    await survivor.checkpoint(checkpoint(first.id, { ...ENDED, claimNo: 2 }))
    expect((await b.store.flow.pump(survivor.id)).admitted).toBe(1)
    expect((await survivor.claim()).map((each) => each.instanceId)).toEqual([second.id])
  })

  it('refuses a buried node', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    await b.store.membership.bury({ id: b.node.id, beat: 0 })
    await expect(b.start()).rejects.toMatchObject({ code: 'FENCED' })
    await expect(b.pump()).rejects.toMatchObject({ code: 'FENCED' })
  })

  it('counts each key by itself', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { key: { $expr: 'input.c' }, limit: 1 } })
    const kinds: string[] = []
    for (const concurrency of ['a', 'a', 'b', 'b', 'c']) kinds.push((await b.start({ keys: { concurrency } })).kind)
    expect(kinds).toEqual(['started', 'queued', 'started', 'queued', 'started'])
    const running = await b.claimed()
    await b.end(running[1]!)
    expect((await b.pump()).admitted).toBe(1)
    expect(await b.claimed()).toHaveLength(1)
  })

  it('lets the highest priority in first, and those of one priority in the order in which they came', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 }, ageing: '1h' })
    const first = await b.start({ item: { claimed: true } })
    const waiting: string[] = []
    for (const priority of [0, 5, 9, 5]) waiting.push((await b.start({ priority })).id)
    const order: string[] = []
    let last = first.id
    for (let turn = 0; turn < 4; turn += 1) {
      await b.end(last)
      await b.pump()
      const [next] = await b.claimed()
      order.push(next!)
      last = next!
    }
    expect(order).toEqual([waiting[2], waiting[1], waiting[3], waiting[0]])
  })

  it('lets no more begin in a span than the rate says, and the rest when it is over', async () => {
    const b = await flowBench(open)
    await b.set({ rate: { limit: 2, per: '1h' } })
    const kinds = [(await b.start()).kind, (await b.start()).kind, (await b.start()).kind]
    expect(kinds).toEqual(['started', 'started', 'queued'])
    for (const id of await b.claimed()) await b.end(id)
    const answer = await b.pump()
    expect(answer.admitted).toBe(0)
    expect(answer.nextInMs).toBeGreaterThan(HOUR / 2)
    await b.set({ rate: { limit: 3, per: '1h' } })
    expect((await b.pump()).admitted).toBe(1)
  })

  it('refuses what a throttle does not let pass, and says when it will', async () => {
    const b = await flowBench(open)
    await b.set({ throttle: { key: { $expr: 'input.c' }, limit: 1, per: '1h' } })
    expect((await b.start({ keys: { throttle: 'a' } })).kind).toBe('started')
    const refused = await b.start({ keys: { throttle: 'a' } })
    expect(refused.kind === 'throttled' && refused.retryInMs).toBeGreaterThan(HOUR / 2)
    expect(await b.store.instances.get(TENANT, refused.id)).toBeUndefined()
    expect((await b.start({ keys: { throttle: 'b' } })).kind).toBe('started')
  })

  it('answers a start beside a living singleton as its rule says', async () => {
    const b = await flowBench(open)
    await b.set({ singleton: {} })
    const first = await b.start({ item: { claimed: true } })
    expect(await b.start()).toMatchObject({ kind: 'busy', instanceId: first.id })
    await b.set({ singleton: { onBusy: 'attach' } })
    expect(await b.start()).toMatchObject({ kind: 'attached', instanceId: first.id })
    await b.set({ singleton: { onBusy: 'queue' } })
    const second = await b.start()
    expect(second.kind).toBe('queued')
    await b.set({ singleton: {} })
    await b.end(first.id)
    expect(await b.start()).toMatchObject({ kind: 'busy', instanceId: second.id })
    expect((await b.pump()).admitted).toBe(1)
  })

  it('cancels what a replacing start finds, and starts it when that has ended', async () => {
    const b = await flowBench(open)
    await b.set({ singleton: { key: { $expr: 'input.c' }, onBusy: 'replace' } })
    const keys = { singleton: 'a' }
    const first = await b.start({ keys, item: { claimed: true } })
    const second = await b.start({ keys })
    const third = await b.start({ keys })
    expect([second.kind, third.kind]).toEqual(['queued', 'queued'])
    expect(await b.store.agenda.inbox([first.id])).toMatchObject([{ stim: 2, messages: [{ kind: 'cancel' }] }])
    // The one that waited goes to a worker, which ends it.
    expect(await b.claimed()).toEqual([second.id])
    expect(await b.store.agenda.inbox([second.id])).toMatchObject([{ messages: [{ kind: 'cancel' }] }])
    await b.node.checkpoint(checkpoint(second.id, { ...ENDED, stim: 1 }))
    expect((await b.pump()).admitted).toBe(0)
    await b.node.checkpoint(checkpoint(first.id, { ...ENDED, stim: 2 }))
    expect((await b.pump()).admitted).toBe(1)
    expect(await b.claimed()).toEqual([third.id])
  })

  it('starts with the last input when a debounce has calmed down, and loses none that a new one needs', async () => {
    const b = await flowBench(open)
    await b.set({ debounce: { key: { $expr: 'input.c' }, wait: '1h' } })
    const of = (n: number) => ({
      keys: { gather: 'a' },
      item: { started: { kind: 'started', data: `{"input":${n}}` } },
    })
    const first = await b.start(of(1))
    expect(first).toMatchObject({ kind: 'gathered', instanceId: first.id })
    expect(await b.start(of(2))).toMatchObject({ kind: 'gathered', instanceId: first.id })
    const other = await b.start({ ...of(3), keys: { gather: 'b' } })
    expect(other.kind).toBe('gathered')
    expect(await b.store.instances.get(TENANT, first.id)).toMatchObject({ status: 'queued' })
    expect((await b.pump()).admitted).toBe(0)
    await b.set({ debounce: { key: { $expr: 'input.c' }, wait: 0 } })
    expect(await b.start(of(4))).toMatchObject({ kind: 'gathered', instanceId: first.id })
    // The new policy holds for what is gathered already.
    expect((await b.pump()).admitted).toBe(2)
    expect([...(await b.claimed())].sort()).toEqual([first.id, other.id].sort())
    expect(await b.store.instances.get(TENANT, first.id)).toMatchObject({ input: 4 })
    const next = await b.start(of(5))
    expect(next).toMatchObject({ kind: 'gathered', instanceId: next.id })
  })

  it('starts once for a batch, when it is full or its time is over', async () => {
    const b = await flowBench(open)
    await b.set({ batch: { size: 3, wait: '1h' } })
    const of = (n: number) => ({
      keys: { gather: '' },
      item: { started: { kind: 'started', data: `{"input":{"n":${n}}}` } },
    })
    const [first] = [await b.start(of(1)), await b.start(of(2)), await b.start(of(3))]
    expect(await b.claimed()).toEqual([first!.id])
    expect(await b.store.instances.get(TENANT, first!.id)).toMatchObject({ input: [{ n: 1 }, { n: 2 }, { n: 3 }] })
    await b.set({ batch: { size: 3, wait: 0 } })
    const second = await b.start(of(4))
    expect((await b.pump()).admitted).toBe(1)
    expect(await b.store.instances.get(TENANT, second.id)).toMatchObject({ input: [{ n: 4 }] })
  })

  it('makes an ended instance that is sent back to work wait for a slot, in line with the starts', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const first = await b.start()
    expect(await b.claimed()).toEqual([first.id])
    await b.fault(first.id)
    const second = await b.start()
    expect(second.kind).toBe('started')
    expect(await b.retry(first.id)).toEqual({ kind: 'accepted' })
    const third = await b.start()
    expect(third.kind).toBe('queued')
    expect(await b.store.flow.get(TENANT, WORKFLOW)).toMatchObject({ alive: 1, waiting: 2 })
    expect(await b.store.flow.standing(TENANT, first.id)).toMatchObject({ state: 'waiting', blocked: 'concurrency' })
    expect((await b.store.instances.get(TENANT, first.id))!.status).toBe('queued')
    expect((await b.pump()).admitted).toBe(0)
    expect(await b.claimed()).toEqual([second.id])
    await b.end(second.id)
    expect((await b.pump()).admitted).toBe(1)
    expect(await b.node.claim()).toMatchObject([{ instanceId: first.id, claimNo: 2 }])
    expect(await b.store.flow.get(TENANT, WORKFLOW)).toMatchObject({ alive: 1, waiting: 1 })
  })

  it('lets an ended instance that is sent back to work go on at once where a slot is free', async () => {
    const b = await flowBench(open)
    await b.set({ singleton: { onBusy: 'reject' } })
    const { id } = await b.start()
    await b.claimed()
    await b.fault(id)
    expect(await b.retry(id)).toEqual({ kind: 'accepted' })
    expect(await b.start()).toMatchObject({ kind: 'busy', instanceId: id })
    expect(await b.node.claim()).toMatchObject([{ instanceId: id, claimNo: 2 }])
    expect(await b.store.flow.get(TENANT, WORKFLOW)).toMatchObject({ alive: 1, waiting: 0 })
  })

  it('answers a start that is sent again with what became of it', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const keys = { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined }
    const { revision } = (await b.store.flow.get(TENANT, WORKFLOW))!
    const one = { item: startItem(b.newId()), revision, keys, priority: 0 }
    const two = { ...one, item: startItem(b.newId()) }
    const answers = await b.store.flow.start(b.node.id, [one, two])
    expect(answers).toMatchObject([{ kind: 'started', here: true }, { kind: 'queued' }])
    expect(await b.store.flow.start(b.node.id, [two, one])).toMatchObject([
      { kind: 'queued' },
      { kind: 'started', here: true },
    ])
    const other = await b.joined()
    expect(await b.store.flow.start(other.id, [one])).toMatchObject([{ kind: 'started', here: false }])
    await b.set({ batch: { size: 2, wait: '1h' } })
    const gathered = {
      ...one,
      revision: revision + 1,
      item: startItem(b.newId()),
      keys: { ...keys, gather: '' },
    }
    const another = { ...gathered, item: startItem(b.newId()) }
    await b.store.flow.start(b.node.id, [gathered])
    await b.store.flow.start(b.node.id, [gathered, another, another])
    expect(await b.store.flow.start(b.node.id, [another])).toEqual([
      { kind: 'gathered', instanceId: gathered.item.instanceId, woken: false },
    ])
    expect(await b.store.instances.get(TENANT, gathered.item.instanceId)).toMatchObject({
      input: [{ amount: 7 }, { amount: 7 }],
    })
  })

  it('makes one instance of two starts with one dedupe key, gathered or not', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const first = await b.start({ item: { dedupeKey: 'k' } })
    expect(await b.start({ item: { dedupeKey: 'k' } })).toMatchObject({ kind: 'duplicate', instanceId: first.id })
    await b.set({ batch: { size: 9, wait: '1h' } })
    const gathered = await b.start({ keys: { gather: '' }, item: { dedupeKey: 'g' } })
    expect(await b.start({ keys: { gather: '' }, item: { dedupeKey: 'g' } })).toMatchObject({
      kind: 'duplicate',
      instanceId: gathered.id,
    })
  })

  it('asks for keys of the policy in force', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    expect((await b.start({ revision: 99 })).kind).toBe('changed')
    expect((await b.start({ item: { definitionId: 'nobody' } })).kind).toBe('unknown-definition')
  })

  it('lets those who wait in when the limit is raised, and all when the policy goes', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    for (let n = 0; n < 5; n += 1) await b.start()
    await b.set({ concurrency: { limit: 3 } })
    expect((await b.pump()).admitted).toBe(2)
    await b.set({})
    expect((await b.pump()).admitted).toBe(2)
    expect(await b.claimed()).toHaveLength(5)
  })

  it('ends a waiting start that is cancelled, and keeps other words for when it begins', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const [first, second, third] = [await b.start({ item: { claimed: true } }), await b.start(), await b.start()]
    const message = { tenant: TENANT, payload: '{}', dedupeKey: undefined }
    await b.store.stimuli.send({ ...message, instanceId: second.id, kind: 'edit' })
    await b.pump()
    expect(await b.claimed()).toEqual([])
    await b.store.stimuli.send({ ...message, instanceId: third.id, kind: 'cancel' })
    await b.pump()
    expect(await b.claimed()).toEqual([third.id])
    await b.node.checkpoint(checkpoint(third.id, { ...ENDED, stim: 1 }))
    await b.end(first.id)
    await b.pump()
    expect(await b.claimed()).toEqual([second.id])
    expect(await b.store.agenda.inbox([second.id])).toMatchObject([{ stim: 1, messages: [{ kind: 'edit' }] }])
  })

  it('finds the one that is cancelled among many who were told something else', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    const { revision } = (await b.store.flow.get(TENANT, WORKFLOW))!
    const keys = { singleton: '', concurrency: '', rate: '', throttle: '', gather: undefined }
    const starts = Array.from({ length: 212 }, () => ({
      item: startItem(b.newId(), { claimed: false }),
      ...{ revision, keys, priority: 0 },
    }))
    await b.store.flow.start(b.node.id, starts)
    expect(await b.claimed()).toHaveLength(1)
    const [, last, ...others] = starts.map(({ item }) => item.instanceId).reverse()
    const message = { tenant: TENANT, payload: '{}', dedupeKey: undefined }
    for (const instanceId of others.slice(0, 205)) await b.store.stimuli.send({ ...message, instanceId, kind: 'edit' })
    await b.store.stimuli.send({ ...message, instanceId: last!, kind: 'cancel' })
    await b.pump()
    await b.pump()
    expect(await b.claimed()).toEqual([last])
  })

  it('tells why a start waits', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { key: { $expr: 'input.c' }, limit: 1 } })
    const keys = { concurrency: 'a' }
    const first = await b.start({ keys })
    await b.start({ keys })
    const third = await b.start({ keys, priority: 0 })
    expect(await b.store.flow.standing(TENANT, first.id)).toBeUndefined()
    expect(await b.store.flow.standing(TENANT, third.id)).toMatchObject({
      state: 'waiting',
      blocked: 'concurrency',
      key: 'a',
      ahead: 1,
    })
  })

  it('finds nothing wrong with starts that wait or gather', async () => {
    const b = await flowBench(open)
    await b.set({ concurrency: { limit: 1 } })
    await b.start()
    await b.start()
    await b.set({ batch: { size: 9, wait: '1h' } })
    await b.start({ keys: { gather: '' } })
    expect((await b.store.maintenance.examine('instances', undefined, 100)).broken).toEqual([])
    expect((await b.store.maintenance.examine('agenda', undefined, 100)).broken).toEqual([])
  })

  it('gives tenants their turn when new starts are claimed, and each its oldest first', async () => {
    const b = await open()
    const node = await b.joined()
    const of = async (tenant: string, count: number): Promise<string[]> => {
      await b.store.definitions.registerFunction(tenant, WORKFLOW, 1)
      const items = Array.from({ length: count }, (_, n) =>
        startItem(b.newId(), { tenant, claimed: false, dueInMs: -1_000 + n }),
      )
      await node.start(...items)
      return items.map((item) => item.instanceId)
    }
    const [flood, small, tiny] = [await of('a', 40), await of('b', 4), await of('c', 1)]
    const ids = async (limit: number) => new Set((await node.claim(limit)).map((claim) => claim.instanceId))
    const first = await ids(6)
    expect([...first].filter((id) => flood.includes(id)).length).toBeLessThanOrEqual(3)
    expect(first).toContain(small[0])
    expect(first).toContain(tiny[0])
    const rest: string[] = []
    for (let turn = 0; turn < 4; turn += 1) rest.push(...(await ids(4)))
    for (const id of small) expect([...first, ...rest]).toContain(id)
    expect(
      await b.store.agenda.claim({ nodeId: node.id, queues: [QUEUE], limit: 100, aheadMs: 0, floorMs: undefined }),
    ).toHaveLength(45 - 6 - 16)
  })
}
