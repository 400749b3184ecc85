/**
 * The database of a browser takes a change some milliseconds after it was made, and a page that dies meanwhile takes the change along.
 * Words stand in the browser's storage the moment they are said, and go when the database has them. Where storage has no room for one, the
 * database alone has to do.
 */
import type { KeptDraft } from './kept-draft.ts'

export type Word =
  | { readonly kind: 'begin'; readonly etag: string; readonly base: string; readonly whole: Uint8Array }
  | { readonly kind: 'add'; readonly update: Uint8Array }
  | { readonly kind: 'sending'; readonly text: string }

export interface LastWords {
  /** The answer is called when the database has the word. */
  say(workflow: string, word: Word): () => void
  /** In the order they were said. */
  read(workflow: string): readonly Word[]
  forget(workflow: string): void
}

const PREFIX = 'lockstep-designer-word '
const DIGITS = 12

export function openLastWords(storage: Storage): LastWords {
  const keysOf = (workflow: string): string[] => {
    const begins = `${PREFIX}${workflow} `
    return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
      .filter((key) => key.startsWith(begins) && key.length === begins.length + DIGITS)
      .sort()
  }
  const last = new Map<string, number>()
  const next = (workflow: string): string => {
    const before = last.get(workflow) ?? Number(keysOf(workflow).at(-1)?.slice(-DIGITS) ?? 0)
    last.set(workflow, before + 1)
    return `${PREFIX}${workflow} ${String(before + 1).padStart(DIGITS, '0')}`
  }
  return {
    say(workflow, word) {
      const key = next(workflow)
      try {
        storage.setItem(key, textOf(word))
      } catch {
        return () => {}
      }
      return () => storage.removeItem(key)
    },
    read: (workflow) => keysOf(workflow).flatMap((key) => readWord(storage.getItem(key)) ?? []),
    forget(workflow) {
      for (const key of keysOf(workflow)) storage.removeItem(key)
    },
  }
}

/** What the database has, and what was said since. Changes that both have are applied twice, which changes nothing. */
export function withWords(draft: KeptDraft | undefined, words: readonly Word[]): KeptDraft | undefined {
  let head: Pick<KeptDraft, 'etag' | 'base'> | undefined = draft
  let sent = draft?.sent
  let updates = [...(draft?.updates ?? [])]
  for (const word of words) {
    if (word.kind === 'add') updates.push(word.update)
    else if (word.kind === 'sending') sent = word.text
    else {
      head = word
      sent = undefined
      updates = [word.whole]
    }
  }
  return head && { etag: head.etag, base: head.base, sent, updates }
}

function textOf(word: Word): string {
  if (word.kind === 'begin') return JSON.stringify({ ...word, whole: toText(word.whole) })
  return JSON.stringify(word.kind === 'add' ? { ...word, update: toText(word.update) } : word)
}

function readWord(text: string | null): Word | undefined {
  try {
    const word = JSON.parse(text ?? 'null')
    if (word.kind === 'begin') return { ...word, whole: toBytes(word.whole) }
    if (word.kind === 'add') return { kind: 'add', update: toBytes(word.update) }
    return word.kind === 'sending' ? word : undefined
  } catch {
    return undefined
  }
}

function toText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const toBytes = (text: string): Uint8Array => Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
