import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Node 20 cannot read TypeScript by itself. Loaded only when it is needed: it brings a compiler. */
export async function loadTypeScript(file: string, onImport?: (url: string) => void): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api')
  const parentURL = import.meta.url
  return tsImport(pathToFileURL(file).href, onImport === undefined ? parentURL : { parentURL, onImport })
}

export async function loadModule(file: string): Promise<unknown> {
  return file.endsWith('.ts') ? loadTypeScript(file) : import(pathToFileURL(file).href)
}

/**
 * With everything that it imports, as the files are now; nothing of an earlier load is used again. `onFile` hears of each file that it
 * consists of, installed packages left out, also when it cannot be loaded.
 */
export function loadAnew(file: string, onFile: (file: string) => void): Promise<unknown> {
  onFile(file)
  return loadTypeScript(file, (url) => {
    const own = ownFile(url)
    if (own !== undefined) onFile(own)
  })
}

function ownFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const file = fileURLToPath(url.replace(/[?#].*$/, ''))
  return file.split(path.sep).includes('node_modules') ? undefined : file
}
