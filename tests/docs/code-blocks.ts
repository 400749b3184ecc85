import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface CodeBlock {
  readonly language: string
  /** What stands behind the language: `file=order.ts`, `expect="status":"completed"`, `norun`. */
  readonly note: string
  readonly code: string
}

/** The fenced blocks of a page, in order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8')
  return [...text.matchAll(/^```(\w+)[ \t]*([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    note: match[2]!,
    code: match[3]!,
  }))
}

export const noteOf = (block: CodeBlock, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}=(.+)$`).exec(block.note)?.[1]
