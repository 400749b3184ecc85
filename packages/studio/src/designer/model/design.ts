import * as Y from 'yjs'
import type { JsonObject } from './json.ts'
import { type Entry, FIELD, type Parts, partsOf, prefixed } from './parts.ts'
import { readGraph, unreadable } from './read-graph.ts'
import { viewBody, viewConnection, viewNote, viewStep } from './read-view.ts'
import { type DesignView, ROOT } from './view.ts'
import { type WrittenGraph, writeGraph } from './write-graph.ts'

/** Origin of what the person at this screen does: only that can be undone here. */
export const MINE = 'mine'
const GROUP_MS = 500

export type ReadDesign =
  | { readonly status: 'read'; readonly design: Design }
  | { readonly status: 'unreadable'; readonly reason: string }

/** A workflow under the pencil. Everything is read through `view` and `graph`, and changed by the operations beside this file. */
export class Design {
  readonly doc: Y.Doc
  readonly parts: Parts
  readonly #undo: Y.UndoManager
  readonly #listeners = new Set<() => void>()
  readonly #caches: readonly Cache<unknown>[]
  #view: DesignView | undefined
  #written: WrittenGraph | undefined
  #group: string | undefined

  constructor(doc: Y.Doc) {
    this.doc = doc
    this.parts = partsOf(doc)
    const { document, bodies, steps, connections, notes, variables } = this.parts
    this.#undo = new Y.UndoManager([document, bodies, steps, connections, notes, variables], {
      trackedOrigins: new Set([MINE]),
      captureTimeout: GROUP_MS,
    })
    this.#caches = [
      new Cache(steps, viewStep),
      new Cache(bodies, viewBody),
      new Cache(connections, viewConnection),
      new Cache(notes, viewNote),
    ]
    doc.on('afterTransaction', (transaction: Y.Transaction) => {
      if (transaction.changed.size === 0) return
      this.#view = undefined
      this.#written = undefined
      for (const listener of this.#listeners) listener()
    })
  }

  static fromGraph(json: unknown): ReadDesign {
    const reason = unreadable(json)
    return reason === undefined
      ? { status: 'read', design: new Design(readGraph(json as JsonObject)) }
      : { status: 'unreadable', reason }
  }

  static fromState(state: Uint8Array): Design {
    const doc = new Y.Doc()
    Y.applyUpdate(doc, state, 'seed')
    return new Design(doc)
  }

  get view(): DesignView {
    if (this.#view !== undefined) return this.#view
    const [steps, bodies, connections, notes] = this.#caches.map((cache) => cache.read())
    const withoutRoot = new Map(bodies as DesignView['bodies'])
    withoutRoot.delete(ROOT)
    this.#view = {
      members: prefixed(this.parts.document, FIELD),
      steps: steps as DesignView['steps'],
      bodies: withoutRoot,
      connections: connections as DesignView['connections'],
      notes: notes as DesignView['notes'],
      variables: Object.fromEntries(this.parts.variables.entries()),
    }
    return this.#view
  }

  /** The document and where each step stands in it. */
  get written(): WrittenGraph {
    this.#written ??= writeGraph(this.parts)
    return this.#written
  }

  toGraph(): JsonObject {
    return this.written.json
  }

  /** All of it as one update: what a copy on another machine needs. */
  state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.doc)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Told of every change as an update, whoever made it. */
  onUpdate(listener: (update: Uint8Array, origin: unknown) => void): () => void {
    this.doc.on('update', listener)
    return () => this.doc.off('update', listener)
  }

  /** One step of undo. Edits of the same `group` that follow each other within half a second are one: typing. */
  edit<T>(run: (parts: Parts) => T, group?: string): T {
    if (group === undefined || group !== this.#group) this.#undo.stopCapturing()
    this.#group = group
    return this.doc.transact(() => run(this.parts), MINE)
  }

  undo(): boolean {
    this.#group = undefined
    return this.#undo.undo() !== null
  }

  redo(): boolean {
    this.#group = undefined
    return this.#undo.redo() !== null
  }

  get canUndo(): boolean {
    return this.#undo.undoStack.length > 0
  }

  get canRedo(): boolean {
    return this.#undo.redoStack.length > 0
  }

  destroy(): void {
    this.#undo.destroy()
    this.doc.destroy()
  }
}

/** Reads an entry again only when it changed. */
class Cache<T> {
  readonly #map: Y.Map<Entry>
  readonly #read: (key: string, entry: Entry) => T
  #found: ReadonlyMap<string, T> | undefined
  readonly #known = new Map<string, T>()

  constructor(map: Y.Map<Entry>, read: (key: string, entry: Entry) => T) {
    this.#map = map
    this.#read = read
    map.observeDeep((events) => {
      this.#found = undefined
      for (const event of events) {
        const [key] = event.path
        if (key !== undefined) this.#known.delete(String(key))
        else for (const each of event.changes.keys.keys()) this.#known.delete(each)
      }
    })
  }

  read(): ReadonlyMap<string, T> {
    if (this.#found !== undefined) return this.#found
    const found = new Map<string, T>()
    for (const [key, entry] of this.#map.entries()) {
      let value = this.#known.get(key)
      if (value === undefined) {
        value = this.#read(key, entry)
        this.#known.set(key, value)
      }
      found.set(key, value)
    }
    this.#found = found
    return found
  }
}
