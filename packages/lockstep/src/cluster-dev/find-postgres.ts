import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Where packages put servers that they do not put on PATH. */
const PLACES = ['/usr/lib/postgresql', '/usr/pgsql', '/opt/homebrew/opt', '/usr/local/opt']

/** What it takes to make a database and to serve it. */
export const SERVER_PROGRAMS = ['postgres', 'initdb'] as const

/** The folder that has both `postgres` and `initdb`, the newest version first; `undefined`: there is none. */
export function findPostgres(searchPath: string | undefined, places: readonly string[] = PLACES): string | undefined {
  const onPath = (searchPath ?? '').split(path.delimiter).filter((each) => each !== '')
  return firstWithServer([...onPath, ...places.flatMap(versionsIn)])
}

export function firstWithServer(folders: readonly string[]): string | undefined {
  return folders.find((folder) => SERVER_PROGRAMS.every((program) => existsSync(path.join(folder, program))))
}

function versionsIn(place: string): string[] {
  try {
    const newestFirst = readdirSync(place).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    return newestFirst.map((version) => path.join(place, version, 'bin'))
  } catch {
    return []
  }
}
