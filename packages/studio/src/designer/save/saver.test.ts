import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../api/problem.ts'
import {
  addStep,
  connect,
  Design,
  type JsonObject,
  removeBody,
  removeSteps,
  restoreSteps,
  setDisabled,
  setInput,
} from '../model/index.ts'
import { joinTheirs } from './join-theirs.ts'
import type { KeptDraft } from './kept-draft.ts'
import type { KeptDrafts } from './kept-drafts.ts'
import { type SavedDraft, Saver, type SaveState, textOf } from './saver.ts'

const document: JsonObject = {
  id: 'a',
  activities: [
    { id: 'x', type: 'log', inputs: { message: 'one' } },
    { id: 'y', type: 'log', inputs: { message: 'two' } },
  ],
}

/** A server with one draft, time that is moved by hand, and a browser that remembers. */
function site() {
  const design = openOf(document)
  const kept = new Map<string, KeptDraft>()
  const drafts: KeptDrafts = {
    read: async (workflow) => kept.get(workflow),
    begin: (workflow, head, whole) => void kept.set(workflow, { ...head, sent: undefined, updates: [whole] }),
    add: (workflow, update) => {
      const found = kept.get(workflow)!
      kept.set(workflow, { ...found, updates: [...found.updates, update] })
    },
    sending: (workflow, sent) => void (kept.has(workflow) && kept.set(workflow, { ...kept.get(workflow)!, sent })),
    forget: (workflow) => void kept.delete(workflow),
  }
  const server = { draft: document, revision: 1, down: false, loseAnswers: false, puts: 0, atOnce: 0, most: 0 }
  const answer = (): SavedDraft => ({ draft: server.draft, etag: `"${server.revision}"`, problems: [] })
  let waiting: (() => void)[] = []
  const states: SaveState[] = []
  const saver = new Saver({
    workflow: 'a',
    design,
    etag: '"1"',
    base: textOf(document),
    kept: drafts,
    show: (state) => states.push(state),
    ports: {
      async put(next, etag) {
        server.puts += 1
        server.most = Math.max(server.most, ++server.atOnce)
        await Promise.resolve()
        server.atOnce -= 1
        if (server.down) throw new Problem(0, { code: 'UNREACHABLE' })
        if (etag !== `"${server.revision}"`) throw new Problem(412, { code: 'DRAFT_CHANGED' })
        server.draft = next
        server.revision += 1
        if (server.loseAnswers) throw new Problem(0, { code: 'UNREACHABLE' })
        return answer()
      },
      get: async () => answer(),
      join(base, theirs) {
        if (joinTheirs(Design.fromState(design.state()), base, theirs).ours > 0) return 'overlap'
        joinTheirs(design, base, theirs)
        return 'joined'
      },
      after: (_, run) => {
        waiting.push(run)
        return () => {
          waiting = waiting.filter((each) => each !== run)
        }
      },
      toProblem: (error) => error as Problem,
    },
  })
  saver.start()
  /** Until nothing is due any more; while the server is down, once. */
  const settle = async (turns = 20): Promise<void> => {
    for (let turn = 0; turn < turns && waiting.length > 0; turn++) {
      const due = waiting
      waiting = []
      for (const run of due) run()
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  return { design, saver, server, kept, states, settle }
}

const messages = ({ activities }: JsonObject): unknown[] =>
  (activities as { inputs: { message: string } }[]).map(({ inputs }) => inputs.message)

const withMessages = (x: string, y: string): JsonObject => ({
  id: 'a',
  activities: [
    { id: 'x', type: 'log', inputs: { message: x } },
    { id: 'y', type: 'log', inputs: { message: y } },
  ],
})

describe('the saver', () => {
  it('keeps a change before it is sent, and forgets it when the server has it', async () => {
    const { design, server, kept, saver, settle } = site()
    setInput(design, 'x', 'message', 'new')
    expect(kept.has('a')).toBe(true)
    expect(saver.state).toEqual({ kind: 'saving', changes: 1 })
    await settle()
    expect(messages(server.draft)).toEqual(['new', 'two'])
    expect(saver.state).toEqual({ kind: 'saved' })
    expect(kept.has('a')).toBe(false)
  })

  it('has one request under way, and ends with the last change', async () => {
    const { design, server, saver } = site()
    setInput(design, 'x', 'message', 'a')
    const saved = saver.flush()
    setInput(design, 'x', 'message', 'ab')
    await saved
    expect(await saver.flush()).toBe(true)
    expect(server.most).toBe(1)
    expect(messages(server.draft)).toEqual(['ab', 'two'])
  })

  it('says how many changes it keeps while nobody answers, and sends them later', async () => {
    const { design, server, saver, settle } = site()
    server.down = true
    setInput(design, 'x', 'message', 'a')
    await settle(1)
    setInput(design, 'y', 'message', 'b')
    expect(saver.state).toEqual({ kind: 'offline', changes: 2 })
    server.down = false
    saver.tryAgain()
    await settle()
    expect(saver.state).toEqual({ kind: 'saved' })
    expect(messages(server.draft)).toEqual(['a', 'b'])
  })

  it('takes a save whose answer was lost for what it is', async () => {
    const { design, server, saver, settle } = site()
    server.loseAnswers = true
    setInput(design, 'x', 'message', 'a')
    await settle(1)
    server.loseAnswers = false
    setInput(design, 'y', 'message', 'b')
    await settle()
    expect(saver.state).toEqual({ kind: 'saved' })
    expect(messages(server.draft)).toEqual(['a', 'b'])
  })

  it('overwrites nothing that somebody else saved, and goes on as it is told', async () => {
    const { design, server, saver, kept, settle } = site()
    server.revision = 2
    server.draft = { ...document, activities: [{ id: 'x', type: 'log', inputs: { message: 'theirs' } }] }
    setInput(design, 'x', 'message', 'mine')
    await settle()
    expect(saver.state.kind).toBe('conflict')
    expect(messages(server.draft)).toEqual(['theirs'])
    expect(kept.has('a')).toBe(true)
    if (saver.state.kind === 'conflict') saver.goOnFrom(saver.state.theirs)
    await settle()
    expect(messages(server.draft)).toEqual(['mine', 'two'])
  })

  it('joins what others saved with what is here, where they do not meet', async () => {
    const { design, server, saver, settle } = site()
    server.revision = 2
    server.draft = withMessages('one', 'theirs')
    setInput(design, 'x', 'message', 'mine')
    await settle()
    expect(saver.state).toEqual({ kind: 'saved' })
    expect(messages(server.draft)).toEqual(['mine', 'theirs'])
  })

  it('takes in what it hears of, and sends nothing back', async () => {
    const { design, server, saver, kept, settle } = site()
    server.revision = 2
    server.draft = withMessages('one', 'theirs')
    await saver.hear('"2"')
    await settle()
    expect(messages(design.toGraph())).toEqual(['one', 'theirs'])
    expect([saver.state, saver.etag, server.puts, kept.size]).toEqual([{ kind: 'saved' }, '"2"', 0, 0])
    expect(design.canUndo).toBe(false)
  })

  it('does not take its own save for that of somebody else', async () => {
    const { design, server, saver, settle } = site()
    setInput(design, 'x', 'message', 'a')
    const saved = saver.flush()
    setInput(design, 'x', 'message', 'ab')
    // Told by the stream before the answer comes.
    await Promise.all([saved, saver.hear('"2"')])
    await settle()
    expect(messages(design.toGraph())).toEqual(['ab', 'two'])
    expect([saver.state, messages(server.draft)]).toEqual([{ kind: 'saved' }, ['ab', 'two']])
  })
})

describe('joining theirs', () => {
  const changed = (edit: (design: Design) => void): JsonObject => {
    const design = openOf(document)
    edit(design)
    return design.toGraph()
  }

  it('brings in what they changed, and keeps ours where both did', () => {
    const { design } = site()
    setInput(design, 'x', 'message', 'ours')
    const theirs = changed((other) => {
      setInput(other, 'x', 'message', 'theirs')
      setInput(other, 'x', 'level', 'warn')
      setInput(other, 'y', 'message', 'theirs')
    })
    expect(joinTheirs(design, document, theirs).ours).toBe(1)
    expect(design.view.steps.get('x')!.inputs).toEqual({ message: 'ours', level: 'warn' })
    expect(design.view.steps.get('y')!.inputs).toEqual({ message: 'theirs' })
  })

  it('removes what they removed, and can put back what had been changed here, with its lines', () => {
    const { design } = site()
    connect(design, 'x', 'done', 'y')
    const base = design.toGraph()
    setInput(design, 'x', 'message', 'ours')
    const before = design.toGraph()
    const { removed, changedHere, ours } = joinTheirs(design, base, {
      id: 'a',
      activities: [{ id: 'y', type: 'log', inputs: { message: 'two' } }],
    })
    expect([...design.view.steps.keys()]).toEqual(['y'])
    expect(design.view.connections.size).toBe(0)
    expect([[...changedHere], ours]).toEqual([['x'], 0])
    expect(restoreSteps(design, removed)).toEqual(['x'])
    expect(design.view.connections.size).toBe(1)
    expect(design.view.steps.get('x')!.inputs).toEqual({ message: 'ours' })
    expect((design.toGraph().activities as unknown[]).length).toBe((before.activities as unknown[]).length)
    design.undo()
    expect([...design.view.steps.keys()]).toEqual(['y'])
  })

  it('drops no line loose when a container goes that something was put into here', () => {
    const holder: JsonObject = {
      id: 'a',
      activities: [{ id: 'each', type: 'for-each', body: { activities: [{ id: 'in', type: 'log' }] } }],
    }
    const open = openOf(holder)
    addStep(open, { type: 'delay', after: { step: 'in', outcome: 'done' } })
    const { removed } = joinTheirs(open, holder, { id: 'a', activities: [] })
    expect([open.view.steps.size, open.view.bodies.size, open.view.connections.size]).toEqual([0, 0, 0])
    expect([...restoreSteps(open, removed)].sort()).toEqual(['delay', 'each', 'in'])
    expect(open.view.connections.size).toBe(1)
  })

  it('ends in the same text for everybody, whatever places their steps had', () => {
    const { design: one } = site()
    removeSteps(one, ['x'])
    const base = one.toGraph()
    const other = openOf(base)
    addStep(other, { type: 'delay' })
    addStep(other, { type: 'log' })
    joinTheirs(one, base, other.toGraph())
    expect(JSON.stringify(one.toGraph())).toBe(JSON.stringify(other.toGraph()))
  })

  it('is the same for both in the end, whatever each of them did, with no loose end', () => {
    const base: JsonObject = {
      id: 'a',
      activities: [
        { id: 'x', type: 'log', inputs: { message: 'one' } },
        { id: 'each', type: 'for-each', body: { activities: [{ id: 'in', type: 'log' }] } },
        { id: 'both', type: 'parallel', branches: [{ activities: [{ id: 'l', type: 'log' }] }, { activities: [] }] },
      ],
      connections: [
        { from: 'x', to: 'each' },
        { from: 'each', to: 'both' },
      ],
    }
    const pick = <T>(all: readonly T[], number: number): T | undefined => all[number % Math.max(1, all.length)]
    const edits: readonly ((design: Design, one: number, other: number) => void)[] = [
      (design, one, other) => setInput(design, pick(keysOf(design), one) ?? '', 'message', `said ${other}`),
      (design, one) => removeSteps(design, [pick(keysOf(design), one) ?? '']),
      (design, one, other) =>
        void addStep(design, {
          type: 'log',
          body: pick(['', ...design.view.bodies.keys()], one)!,
          position: { x: other, y: 0 },
        }),
      (design, one, other) =>
        void connect(design, pick(keysOf(design), one) ?? '', 'done', pick(keysOf(design), other) ?? ''),
      (design, one) => removeBody(design, pick([...design.view.bodies.keys()], one) ?? ''),
      (design, one) => setDisabled(design, [pick(keysOf(design), one) ?? ''], true),
      (design) => void design.undo(),
    ]
    const someEdits = fc.array(fc.tuple(fc.nat(edits.length - 1), fc.nat(20), fc.nat(20)), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(fc.tuple(someEdits, someEdits), { maxLength: 3 }), (rounds) => {
        const [ann, bob] = [openOf(base), openOf(base)]
        let saved = textOf(base)
        for (const [byAnn, byBob] of rounds) {
          for (const [edit, one, other] of byAnn) edits[edit]!(ann, one, other)
          for (const [edit, one, other] of byBob) edits[edit]!(bob, one, other)
          // Ann saves first; Bob joins and saves; Ann is told of it.
          const first = JSON.stringify(ann.toGraph())
          joinTheirs(bob, JSON.parse(saved), JSON.parse(first))
          saved = JSON.stringify(bob.toGraph())
          joinTheirs(ann, JSON.parse(first), JSON.parse(saved))
          expect(JSON.stringify(ann.toGraph())).toBe(saved)
          const { steps, connections, bodies } = ann.view
          const ids = new Set([...steps.values()].map(({ body, id }) => `${body}|${id}`))
          for (const { body, from, to } of connections.values())
            expect([from, to].every((id) => ids.has(`${body}|${id}`))).toBe(true)
          for (const { step } of bodies.values()) expect(steps.has(step)).toBe(true)
        }
      }),
    )
  })
})

const keysOf = (design: Design): readonly string[] => [...design.view.steps.keys()]

function openOf(json: JsonObject): Design {
  const read = Design.fromGraph(json)
  if (read.status !== 'read') throw new Error(read.reason)
  return read.design
}
