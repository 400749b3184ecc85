import { describe, expect, it } from 'vitest'
import { openLastWords, type Word, withWords } from './last-words.ts'

/** What a browser has, with room for so many characters. */
function storageOf(room = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    clear: () => items.clear(),
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, text) => {
      if (text.length > room) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, text)
    },
  }
}
const add = (...bytes: number[]): Word => ({ kind: 'add', update: new Uint8Array(bytes) })
const begin: Word = { kind: 'begin', etag: '"1"', base: '{}', whole: new Uint8Array([0, 255, 13]) }

describe('what was said last', () => {
  it('is there at once, in order, and for a page that comes later', () => {
    const storage = storageOf()
    const words = openLastWords(storage)
    const said: Word[] = [
      begin,
      ...Array.from({ length: 12 }, (_, turn) => add(turn, 200)),
      { kind: 'sending', text: 'ü' },
    ]
    for (const word of said) words.say('a', word)
    expect(openLastWords(storage).read('a')).toEqual(said)
    openLastWords(storage).say('a', add(9))
    expect(openLastWords(storage).read('a').at(-1)).toEqual(add(9))
  })

  it('goes when the database has it, each by itself', () => {
    const words = openLastWords(storageOf())
    const taken = words.say('a', add(1))
    words.say('a', add(2))
    taken()
    expect(words.read('a')).toEqual([add(2)])
  })

  it('is of one workflow, whatever others are called', () => {
    const words = openLastWords(storageOf())
    words.say('a', add(1))
    words.say('a b', add(2))
    words.say('ab', add(3))
    expect(words.read('a')).toEqual([add(1)])
    words.forget('a')
    expect([words.read('a'), words.read('a b'), words.read('ab')]).toEqual([[], [add(2)], [add(3)]])
  })

  it('is left to the database where there is no room, and what somebody else wrote there is passed over', () => {
    const storage = storageOf(120)
    const words = openLastWords(storage)
    words.say('a', { kind: 'sending', text: 'x'.repeat(200) })()
    expect(words.read('a')).toEqual([])
    for (const text of ['{', 'null', '{"kind":"other"}', '{"kind":"add","update":"%"}'])
      storage.setItem(`lockstep-designer-word a ${String(text.length).padStart(12, '0')}`, text)
    expect(words.read('a')).toEqual([])
  })

  it('comes behind what the database has', () => {
    const draft = { etag: '"0"', base: 'old', sent: 'old', updates: [new Uint8Array([7])] }
    expect(withWords(draft, [add(1)])?.updates).toEqual([new Uint8Array([7]), new Uint8Array([1])])
    expect(withWords(draft, [begin, add(1), { kind: 'sending', text: 'new' }])).toEqual({
      ...{ etag: '"1"', base: '{}', sent: 'new' },
      updates: [new Uint8Array([0, 255, 13]), new Uint8Array([1])],
    })
    expect(withWords(undefined, [add(1)])).toBeUndefined()
  })
})
