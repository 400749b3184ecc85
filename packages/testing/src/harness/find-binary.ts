import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'

/** Where a server's program is, or `undefined`. Tests pass their own. */
export type Locator = (binary: string) => string | undefined

/** Folders outside PATH where Debian puts servers' programs. `*` stands for any version, newest first. */
const DEBIAN_PLACES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/lib/rabbitmq/bin',
  '/usr/lib/rabbitmq/lib/*/sbin',
  '/usr/lib/erlang/*/bin',
  '/usr/sbin',
]

export function locatorFor(searchPath: string | undefined, places: readonly string[] = DEBIAN_PLACES): Locator {
  // On Debian the psql and rabbitmq-server on PATH are wrappers with ideas of their own: one looks for a cluster of the
  // system's, the other becomes the system's rabbitmq user with that user's home. The real ones lie beside their kin.
  return (binary) => (binary === 'psql' ? siblingOf(find('postgres'), binary) : undefined) ?? find(binary)

  function find(binary: string): string | undefined {
    const folders = [...(searchPath ?? '').split(delimiter).filter(Boolean), ...places.flatMap(expand)]
    const found = folders.map((folder) => join(folder, binary)).find(isExecutable)
    if (found === undefined) return undefined
    const real = realpathSync(found)
    return basename(real) === binary ? real : (siblingOf(real, binary) ?? found)
  }
}

/** A program that lives beside another one, such as `initdb` beside `postgres`. */
export function siblingOf(file: string | undefined, binary: string): string | undefined {
  const sibling = file && join(dirname(file), binary)
  return sibling && isExecutable(sibling) ? sibling : undefined
}

function expand(place: string): string[] {
  const [before, after] = place.split('/*/')
  if (before === undefined || after === undefined) return [place]
  try {
    const versions = readdirSync(before).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    return versions.map((version) => join(before, version, after))
  } catch {
    return []
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
