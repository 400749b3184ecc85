// `npm run generate`: writes every generated file; with --check it only says which ones are out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, say } from './bootstrap/say.mjs'
import { activityReference } from './generate/activity-reference.mjs'
import { adrIndex } from './generate/adr-index.mjs'
import { apiOperations } from './generate/api-operations.mjs'
import { luaScripts } from './generate/lua-scripts.mjs'
import { problemNotes } from './generate/problem-notes.mjs'

const generators = [adrIndex, luaScripts, activityReference, problemNotes, apiOperations]
const checkOnly = process.argv.includes('--check')

let stale = 0
for (const generate of generators) {
  for (const [file, text] of Object.entries(await generate())) {
    const full = path.join(root, file)
    if (existsSync(full) && readFileSync(full, 'utf8') === text) continue
    stale += 1
    if (checkOnly) say(`${file} is out of date: run "npm run generate" and commit it`)
    else {
      writeFileSync(full, text)
      say(`wrote ${file}`)
    }
  }
}
if (checkOnly && stale > 0) process.exit(1)
