import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Where the built Studio lies; `undefined`: it was not installed, or not built. */
export function studioFolder(): string | undefined {
  const manifest = resolved('@lockstep/studio/package.json')
  const folder = manifest && path.join(path.dirname(manifest), 'dist')
  return folder !== undefined && existsSync(path.join(folder, 'index.html')) ? folder : undefined
}

function resolved(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}
