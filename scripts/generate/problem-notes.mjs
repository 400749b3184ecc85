// What the server's page of a problem says, from docs/reference/errors.md: a packed server has no docs folder.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../bootstrap/say.mjs'

const ROW = /^\| `([A-Z][A-Z0-9_]+)` \| (yes|no) \| (.+) \|$/

export function problemNotes() {
  const lines = readFileSync(path.join(root, 'docs/reference/errors.md'), 'utf8').split('\n')
  const rows = lines.map((line) => ROW.exec(line)).filter((found) => found !== null)
  const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const notes = rows.map(([, code, , text]) => {
    // The formatter's rule for quotes: those that need fewer escapes.
    const value = text.includes("'") && !text.includes('"') ? JSON.stringify(text) : quoted(text)
    const line = `  ${code}: ${value},`
    return line.length <= 120 ? line : `  ${code}:\n    ${value},`
  })
  return {
    'packages/server/src/problems/problem-notes.ts': `// Generated from docs/reference/errors.md by "npm run generate": do not edit.

/** What happened, and what to do, by code. In the Markdown of that page. */
export const problemNotes: Readonly<Record<string, string>> = {
${notes.join('\n')}
}
`,
  }
}
