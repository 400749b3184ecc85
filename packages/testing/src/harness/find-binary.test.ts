import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { locatorFor } from './find-binary.ts'

describe('locatorFor', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function program(path: string, mode = 0o755): string {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '#!/bin/sh\n')
    chmodSync(file, mode)
    return file
  }

  it('takes the first program on the search path', () => {
    const first = program('a/redis-server')
    program('b/redis-server')
    expect(locatorFor(`${folder}/none:${folder}/a:${folder}/b`, [])('redis-server')).toBe(first)
  })

  it('passes over files and folders that cannot be run', () => {
    program('a/redis-server', 0o644)
    mkdirSync(join(folder, 'b/redis-server'), { recursive: true })
    const runnable = program('c/redis-server')
    expect(locatorFor(`${folder}/a:${folder}/b:${folder}/c`, [])('redis-server')).toBe(runnable)
  })

  it('takes the newest version by number when the program is not on the path', () => {
    program('postgresql/9/bin/postgres')
    program('postgresql/14/bin/postgres')
    const newest = program('postgresql/17/bin/postgres')
    expect(locatorFor('', [`${folder}/postgresql/*/bin`])('postgres')).toBe(newest)
  })

  it('finds nothing where there is nothing', () => {
    expect(locatorFor('', [`${folder}/none/*/bin`])('postgres')).toBeUndefined()
    expect(locatorFor(undefined, [])('postgres')).toBeUndefined()
  })

  it('goes past a wrapper to the program the wrapper stands for', () => {
    program('lib/script-wrapper')
    const real = program('lib/rabbitmq-server')
    mkdirSync(join(folder, 'sbin'))
    symlinkSync(join(folder, 'lib/script-wrapper'), join(folder, 'sbin/rabbitmq-server'))
    expect(locatorFor(`${folder}/sbin`, [])('rabbitmq-server')).toBe(real)
  })

  it('keeps a link to a program that looks at its own name', () => {
    program('bin/redis-check')
    symlinkSync(join(folder, 'bin/redis-check'), join(folder, 'bin/redis-server'))
    expect(locatorFor(`${folder}/bin`, [])('redis-server')).toBe(join(folder, 'bin/redis-server'))
  })

  it('prefers the psql of the server over a psql on the path', () => {
    program('bin/psql')
    program('postgresql/17/bin/postgres')
    const own = program('postgresql/17/bin/psql')
    expect(locatorFor(`${folder}/bin`, [`${folder}/postgresql/*/bin`])('psql')).toBe(own)
    expect(locatorFor(`${folder}/bin`, [])('psql')).toBe(join(folder, 'bin/psql'))
  })
})
