import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file of Studio as it is sent. */
export interface StudioFile {
  readonly type: string
  readonly body: Buffer
  /** Its name holds a hash of its contents: it never changes. */
  readonly lasting: boolean
  /** Made when it is first asked for. */
  zipped(): Buffer
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** All files of a built Studio, by their paths with forward slashes. They are few and small: reading them once leaves no path to escape by. */
export function readStudioFiles(folder: string): ReadonlyMap<string, StudioFile> {
  const files = new Map<string, StudioFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[path.extname(entry.name)]
    if (!entry.isFile() || entry.name.startsWith('.') || type === undefined) continue
    const full = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, full).split(path.sep).join('/')
    if (name.startsWith('.')) continue
    files.set(name, studioFile(type, readFileSync(full), name.startsWith('assets/')))
  }
  return files
}

function studioFile(type: string, body: Buffer, lasting: boolean): StudioFile {
  let zipped: Buffer | undefined
  return {
    type,
    body,
    lasting,
    zipped() {
      zipped ??= gzipSync(body)
      return zipped
    },
  }
}
