import type { KeptDraft } from './kept-draft.ts'
import { openLastWords, type Word, withWords } from './last-words.ts'

export interface KeptDrafts {
  read(workflow: string): Promise<KeptDraft | undefined>
  /** Begins, or begins anew: what was kept before is replaced by the whole. */
  begin(workflow: string, head: Omit<KeptDraft, 'updates' | 'sent'>, whole: Uint8Array): void
  add(workflow: string, update: Uint8Array): void
  sending(workflow: string, text: string): void
  forget(workflow: string): void
}

interface Head {
  readonly workflow: string
  readonly etag: string
  readonly base: string
  readonly sent?: string
  readonly whole: Uint8Array
}

const HEADS = 'heads'
const CHANGES = 'changes'

/** Each call is written at once, in the order of the calls, and outlives a page that dies right behind it. Without a database nothing is kept, and nothing fails. */
export async function openKeptDrafts(): Promise<KeptDrafts> {
  const database = await open().catch(() => undefined)
  if (database === undefined) return nothingKept
  const words = openLastWords(localStorage)
  const write = (run: (heads: IDBObjectStore, changes: IDBObjectStore) => void): IDBTransaction => {
    const transaction = database.transaction([HEADS, CHANGES], 'readwrite', { durability: 'strict' })
    run(transaction.objectStore(HEADS), transaction.objectStore(CHANGES))
    return transaction
  }
  const keep = (workflow: string, word: Word, run: Parameters<typeof write>[0]): void => {
    const taken = words.say(workflow, word)
    write(run).oncomplete = taken
  }
  const dropChanges = (changes: IDBObjectStore, workflow: string): void => {
    const found = changes.index('workflow').openKeyCursor(IDBKeyRange.only(workflow))
    found.onsuccess = () => {
      if (found.result === null) return
      changes.delete(found.result.primaryKey)
      found.result.continue()
    }
  }
  return {
    async read(workflow) {
      const transaction = database.transaction([HEADS, CHANGES], 'readonly')
      const [head, changes] = await Promise.all([
        answer<Head | undefined>(transaction.objectStore(HEADS).get(workflow)),
        answer<{ update: Uint8Array }[]>(transaction.objectStore(CHANGES).index('workflow').getAll(workflow)),
      ])
      const updates = changes.map(({ update }) => update)
      const kept = head && { etag: head.etag, base: head.base, sent: head.sent, updates: [head.whole, ...updates] }
      return withWords(kept, words.read(workflow))
    },
    begin: (workflow, { etag, base }, whole) =>
      keep(workflow, { kind: 'begin', etag, base, whole }, (heads, changes) => {
        heads.put({ workflow, etag, base, whole } satisfies Head)
        dropChanges(changes, workflow)
      }),
    add: (workflow, update) =>
      keep(workflow, { kind: 'add', update }, (_, changes) => void changes.add({ workflow, update })),
    sending: (workflow, text) =>
      keep(workflow, { kind: 'sending', text }, (heads) => {
        const found = heads.get(workflow)
        found.onsuccess = () => {
          if (found.result !== undefined) heads.put({ ...found.result, sent: text })
        }
      }),
    forget(workflow) {
      words.forget(workflow)
      write((heads, changes) => {
        heads.delete(workflow)
        dropChanges(changes, workflow)
      })
    },
  }
}

export const nothingKept: KeptDrafts = {
  read: async () => undefined,
  begin: () => {},
  add: () => {},
  sending: () => {},
  forget: () => {},
}

function open(): Promise<IDBDatabase> {
  const asked = indexedDB.open('lockstep-designer', 1)
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore(HEADS, { keyPath: 'workflow' })
    asked.result.createObjectStore(CHANGES, { autoIncrement: true }).createIndex('workflow', 'workflow')
  }
  return answer(asked)
}

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
