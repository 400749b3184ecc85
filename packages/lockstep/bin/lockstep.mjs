#!/usr/bin/env node
// Committed, not built: npm links only the bins that exist when it installs.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../bundle/main.js', import.meta.url)
if (!existsSync(fileURLToPath(main))) {
  process.stderr.write('lockstep: not built yet. Run "npm run build" in the project folder first\n')
  process.exit(1)
}
await import(main.href)
