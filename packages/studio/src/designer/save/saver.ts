import type { Problem } from '../../api/problem.ts'
import { Design, type DesignProblem, type JsonObject } from '../model/index.ts'
import type { KeptDrafts } from './kept-drafts.ts'

export interface SavedDraft {
  readonly draft: JsonObject
  readonly etag: string
  readonly problems: readonly DesignProblem[]
}

/** What the saver needs of the server and of time. */
export interface SaverPorts {
  put(document: JsonObject, etag: string): Promise<SavedDraft>
  get(): Promise<SavedDraft>
  /** Brings what others saved into what is on the screen. `overlap`: both changed the same field, and nothing was joined. */
  join(base: JsonObject, theirs: JsonObject): 'joined' | 'overlap'
  /** Calls `run` in `ms`; the answer calls it off. */
  after(ms: number, run: () => void): () => void
  toProblem(error: unknown): Problem
}

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'saving' | 'offline'; readonly changes: number }
  | { readonly kind: 'problem'; readonly changes: number; readonly problem: Problem }
  /** Somebody else changed the same field meanwhile: nothing is sent until somebody decides. */
  | { readonly kind: 'conflict'; readonly changes: number; readonly theirs: SavedDraft }

const QUIET_MS = 400
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000] as const

/**
 * Every change is kept in the browser before anything else, then sent with the etag of what it was made to. One request is under way
 * at a time, so that the last to finish is the last to have begun. An answer that never came is told from somebody else's save by
 * what the server has. What others saved is joined with what is here; only where both changed the same field is somebody asked.
 */
export class Saver {
  readonly #design: Design
  readonly #workflow: string
  readonly #kept: KeptDrafts
  readonly #ports: SaverPorts
  readonly #show: (state: SaveState, problems?: SavedDraft['problems']) => void
  #unwatch = (): void => {}
  #etag: string
  #base: string
  #changes = 0
  #begun = false
  #sent: string | undefined
  #failures = 0
  #state: SaveState = { kind: 'saved' }
  #sending: Promise<void> | undefined
  #callOff = (): void => {}

  constructor(props: {
    readonly workflow: string
    readonly design: Design
    readonly etag: string
    /** The document at that etag, as `toGraph` writes it. */
    readonly base: string
    readonly kept: KeptDrafts
    readonly ports: SaverPorts
    readonly show: (state: SaveState, problems?: SavedDraft['problems']) => void
  }) {
    this.#workflow = props.workflow
    this.#design = props.design
    this.#etag = props.etag
    this.#base = props.base
    this.#kept = props.kept
    this.#ports = props.ports
    this.#show = props.show
  }

  /** From now on every change is kept and sent. */
  start(): void {
    this.#unwatch()
    // What others saved is kept as a whole once it is joined.
    this.#unwatch = this.#design.onUpdate((update, origin) => {
      if (origin !== 'theirs') this.#changed(update)
    })
  }

  get etag(): string {
    return this.#etag
  }

  /** The document that the changes were made to, as text. */
  get base(): string {
    return this.#base
  }

  get state(): SaveState {
    return this.#state
  }

  /** Changes of an earlier page that were found in the browser. */
  resume(changes: number, sent: string | undefined): void {
    this.#changes += changes
    this.#begun = true
    this.#sent = sent
    this.#soon(0)
  }

  /** Sends what there is. True: the server has everything. */
  async flush(): Promise<boolean> {
    for (let turn = 0; turn < 3 && (this.#changes > 0 || this.#sending !== undefined); turn++) {
      this.#callOff()
      await this.#send()
      if (this.#state.kind === 'conflict' || this.#state.kind === 'problem' || this.#state.kind === 'offline') break
    }
    return this.#state.kind === 'saved'
  }

  /** Sends again what could not be sent: the network is back, or a person asks. */
  tryAgain(): void {
    if (this.#state.kind === 'offline' || this.#state.kind === 'problem') this.#soon(0)
  }

  /** The server has a draft of this etag: unless it is ours, what is in it comes in. */
  async hear(etag: string): Promise<void> {
    while (this.#sending !== undefined) await this.#sending
    if (etag === this.#etag || this.#state.kind === 'conflict') return
    await this.#alone(async () => {
      const theirs = await this.#ports.get().catch(() => undefined)
      if (theirs !== undefined && theirs.etag !== this.#etag) this.#takeIn(theirs)
    })
  }

  /** What is on the screen goes on from `theirs`. */
  goOnFrom(theirs: SavedDraft): void {
    this.#etag = theirs.etag
    this.#base = textOf(theirs.draft)
    if (JSON.stringify(this.#design.toGraph()) === this.#base) return this.#settle(theirs.problems)
    this.#changes = Math.max(1, this.#changes)
    this.#keepWhole()
    this.#set({ kind: 'saving', changes: this.#changes })
    this.#soon(0)
  }

  stop(): void {
    this.#unwatch()
  }

  #changed(update: Uint8Array): void {
    this.#changes += 1
    if (this.#begun) this.#kept.add(this.#workflow, update)
    else this.#keepWhole()
    if (this.#state.kind === 'conflict') return this.#set({ ...this.#state, changes: this.#changes })
    if (this.#state.kind === 'offline') return this.#set({ kind: 'offline', changes: this.#changes })
    this.#set({ kind: 'saving', changes: this.#changes })
    if (this.#sending === undefined) this.#soon(QUIET_MS)
  }

  #keepWhole(): void {
    this.#begun = true
    this.#kept.begin(this.#workflow, { etag: this.#etag, base: this.#base }, this.#design.state())
  }

  #soon(ms: number): void {
    this.#callOff()
    this.#callOff = this.#ports.after(ms, () => void this.#send())
  }

  #send(): Promise<void> {
    return this.#alone(() => this.#sendOnce())
  }

  /** One question at a time: an answer is never older than what was sent before it. */
  #alone(run: () => Promise<void>): Promise<void> {
    this.#sending ??= run().finally(() => {
      this.#sending = undefined
      if (this.#changes > 0 && this.#state.kind === 'saving') this.#soon(0)
    })
    return this.#sending
  }

  async #sendOnce(): Promise<void> {
    if (this.#changes === 0 || this.#state.kind === 'conflict') return
    const document = this.#design.toGraph()
    const count = this.#changes
    const text = JSON.stringify(document)
    this.#set({ kind: this.#state.kind === 'offline' ? 'offline' : 'saving', changes: count })
    const lost = this.#sent
    this.#kept.sending(this.#workflow, text)
    this.#sent = text
    try {
      this.#saved(await this.#ports.put(document, this.#etag), text, count)
    } catch (error) {
      const problem = this.#ports.toProblem(error)
      if (problem.status === 412) return await this.#meet(text, lost, count)
      const later = problem.status === 0 || problem.status >= 500 || problem.status === 429 || problem.status === 408
      this.#set({ kind: later ? 'offline' : 'problem', changes: this.#changes, problem } as SaveState)
      if (later) this.#soon(AGAIN_MS[Math.min(this.#failures++, AGAIN_MS.length - 1)]!)
    }
  }

  /** The server has another draft: ours, whose answer was lost, or somebody else's. */
  async #meet(text: string, lost: string | undefined, count: number): Promise<void> {
    try {
      const theirs = await this.#ports.get()
      const has = textOf(theirs.draft)
      if (has === text) return this.#saved(theirs, text, count)
      if (has === lost) {
        this.#etag = theirs.etag
        this.#base = has
        this.#keepWhole()
        return this.#set({ kind: 'saving', changes: this.#changes })
      }
      this.#takeIn(theirs, has)
    } catch {
      this.#set({ kind: 'offline', changes: this.#changes })
      this.#soon(AGAIN_MS[0])
    }
  }

  #takeIn(theirs: SavedDraft, has = textOf(theirs.draft)): void {
    if (has !== this.#base && this.#ports.join(JSON.parse(this.#base), theirs.draft) === 'overlap')
      return this.#set({ kind: 'conflict', changes: this.#changes, theirs })
    this.goOnFrom(theirs)
  }

  #saved({ etag, problems }: SavedDraft, text: string, count: number): void {
    this.#etag = etag
    this.#base = text
    this.#failures = 0
    this.#changes -= count
    if (this.#changes <= 0) return this.#settle(problems)
    this.#keepWhole()
    this.#set({ kind: 'saving', changes: this.#changes }, problems)
  }

  #settle(problems: SavedDraft['problems']): void {
    this.#changes = 0
    this.#begun = false
    this.#sent = undefined
    this.#kept.forget(this.#workflow)
    this.#set({ kind: 'saved' }, problems)
  }

  #set(state: SaveState, problems?: SavedDraft['problems']): void {
    this.#state = state
    this.#show(state, problems)
  }
}

/** As `toGraph` would write it: texts of equal documents are equal. */
export function textOf(document: JsonObject): string {
  const read = Design.fromGraph(document)
  return JSON.stringify(read.status === 'read' ? read.design.toGraph() : document)
}
