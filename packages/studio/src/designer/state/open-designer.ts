import * as Y from 'yjs'
import type { StoreApi } from 'zustand'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { apiRoot } from '../../browser/place.ts'
import { after } from '../../browser/time.ts'
import { Design, type JsonObject, localProblems, placeProblems } from '../model/index.ts'
import type { ActivityType } from '../palette/activity-types.ts'
import type { KeptDraft } from '../save/kept-draft.ts'
import { type KeptDrafts, openKeptDrafts } from '../save/kept-drafts.ts'
import { type SavedDraft, Saver } from '../save/saver.ts'
import { createDesignerStore, type Designer, type DesignerState } from './designer-state.ts'
import { rememberedFolds } from './folded.ts'
import { takeIn } from './others.ts'

export type Opened =
  | { readonly status: 'open'; readonly designer: Designer }
  /** Written in code, or too broken to be drawn. */
  | { readonly status: 'not-drawable'; readonly reason: string }

const draftPath = (id: string): string => `/workflow-definitions/${encodeURIComponent(id)}/draft`

export const readDraft = (id: string): Promise<SavedDraft> => call<SavedDraft>('GET', draftPath(id))

/** The draft as the server has it, with whatever this browser kept and never could send. */
export async function openDraft(
  id: string,
  types: ReadonlyMap<string, ActivityType>,
  readOnly: string | undefined,
): Promise<Opened> {
  const saved = await readDraft(id)
  if (saved.draft === null) return { status: 'not-drawable', reason: 'This workflow is code: it has nothing to draw.' }
  if (readOnly !== undefined) return openToRead(id, saved.draft, types, readOnly, saved.problems)
  const kept = await openKeptDrafts()
  const left = await kept.read(keptAs(id)).catch(() => undefined)
  const read = Design.fromGraph(saved.draft)
  if (read.status === 'unreadable') return { status: 'not-drawable', reason: read.reason }
  const has = JSON.stringify(read.design.toGraph())
  const found = left && designOf(left)
  if (left === undefined || found === undefined || JSON.stringify(found.toGraph()) === has) {
    kept.forget(keptAs(id))
    return { status: 'open', designer: openToEdit(id, types, kept, { ...saved, design: read.design, base: has }) }
  }
  // Without the answer to a save that was under way, what the server has may be that save.
  const sameBase = left.etag === saved.etag || left.sent === has
  const { etag, base } = sameBase ? { etag: saved.etag, base: has } : left
  const designer = openToEdit(id, types, kept, { design: found, etag, base, problems: saved.problems })
  designer.saver?.resume(Math.max(1, left.updates.length), left.sent)
  return { status: 'open', designer }
}

/** While the server does not answer: what this browser has of the draft and never could send. It is sent when there is an answer again. */
export async function openKeptCopy(
  id: string,
  types: ReadonlyMap<string, ActivityType>,
): Promise<(Opened & { readonly status: 'open' }) | undefined> {
  const kept = await openKeptDrafts()
  const left = await kept.read(keptAs(id)).catch(() => undefined)
  if (left === undefined) return undefined
  const { etag, base } = left
  const designer = openToEdit(id, types, kept, { design: designOf(left), etag, base, problems: [] })
  designer.saver?.resume(Math.max(1, left.updates.length), left.sent)
  return { status: 'open', designer }
}

export async function hasKeptCopy(id: string): Promise<boolean> {
  const kept = await openKeptDrafts()
  return (await kept.read(keptAs(id)).catch(() => undefined)) !== undefined
}

const keptAs = (id: string): string => `${apiRoot} ${id}`

function designOf({ updates }: KeptDraft): Design {
  const doc = new Y.Doc()
  for (const update of updates) Y.applyUpdate(doc, update, 'seed')
  return new Design(doc)
}

interface Draft {
  readonly design: Design
  readonly etag: string
  /** The document at that etag, as text. */
  readonly base: string
  readonly problems: SavedDraft['problems']
}

function openToEdit(id: string, types: ReadonlyMap<string, ActivityType>, kept: KeptDrafts, draft: Draft): Designer {
  const { design, etag, base } = draft
  const store = createDesignerStore()
  const place = (problems: SavedDraft['problems']): DesignerState['problems'] =>
    placeProblems(problems, design.written.pointers)
  const saver = new Saver({
    ...{ workflow: keptAs(id), design, kept, etag, base },
    ports: {
      put: (document, ifMatch) => call('PUT', draftPath(id), { body: document, headers: { 'if-match': ifMatch } }),
      get: () => readDraft(id),
      join: (from, theirs) => takeIn({ design, store }, from, theirs),
      after,
      toProblem,
    },
    show: (save, problems) =>
      store.setState({ save, ...(problems === undefined ? {} : { problems: place(problems) }) }),
  })
  store.setState({ problems: place(draft.problems), folded: rememberedFolds(id) })
  design.subscribe(() => watchOffline(store, design, types))
  return { definitionId: id, design, saver, readOnly: undefined, types, store }
}

/** A version, or a draft for somebody who may not change it: nothing here is ever sent or kept. */
export function openToRead(
  id: string,
  document: JsonObject,
  types: ReadonlyMap<string, ActivityType>,
  readOnly: string,
  problems: SavedDraft['problems'] = [],
): Opened {
  const read = Design.fromGraph(document)
  if (read.status === 'unreadable') return { status: 'not-drawable', reason: read.reason }
  const store = createDesignerStore()
  store.setState({
    problems: placeProblems(problems, read.design.written.pointers),
    folded: rememberedFolds(id),
  })
  return {
    status: 'open',
    designer: { definitionId: id, design: read.design, saver: undefined, readOnly, types, store },
  }
}

/** While the server cannot be asked, what can be told without it is told. */
function watchOffline(store: StoreApi<DesignerState>, design: Design, types: ReadonlyMap<string, ActivityType>): void {
  const { save, selection } = store.getState()
  if (save.kind === 'offline') {
    const problems = localProblems(design, new Set(types.keys()))
    store.setState({ problems: placeProblems(problems, design.written.pointers) })
  }
  const { steps, connections } = design.view
  const gone = [...selection].filter((key) => !key.startsWith('note:') && !steps.has(key) && !connections.has(key))
  if (gone.length > 0) store.setState({ selection: new Set([...selection].filter((key) => !gone.includes(key))) })
}
