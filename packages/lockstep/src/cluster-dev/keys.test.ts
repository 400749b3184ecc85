import colors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { findPostgres } from './find-postgres.ts'
import { commandOf } from './keys.ts'
import { readableLine } from './log-line.ts'

describe('keys', () => {
  it.each([
    ['1', { do: 'select', index: 0 }],
    ['9', { do: 'select', index: 8 }],
    ['k', { do: 'kill' }],
    ['P', { do: 'pause' }],
    ['r', { do: 'revive' }],
    ['s', { do: 'status' }],
    ['q', { do: 'quit' }],
    ['\u0003', { do: 'quit' }],
    ['0', undefined],
    ['x', undefined],
  ])('%j', (key, command) => {
    expect(commandOf(key)).toEqual(command)
  })
})

describe('lines of nodes', () => {
  const plain = colors.createColors(false)
  it.each([
    [
      '{"level":"info","time":"2026-01-02T03:04:05.678Z","area":"http","code":"X","msg":"told"}',
      '03:04:05.678 info  http told code=X',
    ],
    ['{"level":"warn","time":"2026-01-02T03:04:05.678Z","msg":"told","n":1}', '03:04:05.678 warn  told n=1'],
    ['no JSON', 'no JSON'],
    ['{"half":', '{"half":'],
  ])('%s', (line, text) => {
    expect(readableLine(line, plain)).toBe(text)
  })
})

it('finds no PostgreSQL where there is none', () => {
  expect(findPostgres('/nowhere', ['/nowhere/at/all'])).toBeUndefined()
})
