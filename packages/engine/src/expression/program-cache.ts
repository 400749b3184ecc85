import { type ParsedProgram, type ProgramKind, parseProgram } from './program.ts'

/** What the sandbox needs of a program; the tree is many times larger. */
export type ReadProgram = Pick<ParsedProgram, 'text' | 'references'>

/** Reads programs, and remembers the latest of them up to `mostCharacters` of text. */
export function rememberPrograms(mostCharacters: number): (source: string, kind: ProgramKind) => ReadProgram {
  const known = new Map<string, ReadProgram>()
  let characters = 0

  return (source, kind) => {
    const key = `${kind} ${source}`
    const found = known.get(key)
    if (found !== undefined) return found

    const { text, references } = parseProgram(source, kind)
    const program = { text, references }
    known.set(key, program)
    characters += text.length
    for (const [oldest, { text: old }] of known) {
      if (characters <= mostCharacters) break
      known.delete(oldest)
      characters -= old.length
    }
    return program
  }
}
