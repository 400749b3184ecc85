import { errorCode } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { DatabaseUnreachable } from '../commit/errors.ts'
import { unclearStart } from '../commit/queued-start.ts'
import type { StartItem } from '../store/commit-store.ts'
import { Fenced } from '../store/errors.ts'
import { allStarted, partlyStarted } from './all-started.ts'
import type { StartedInstance } from './start-request.ts'

const item = { instanceId: 'i', dedupeKey: undefined } as StartItem
const fenced = new Fenced({ nodeId: 'n' })
const away = new DatabaseUnreachable({ message: 'no answer' })
const unclear = unclearStart([item], undefined)
const bad = new Error('it cannot be written')
const written: StartedInstance = { instanceId: 'i', created: true, here: false }

async function told(answers: readonly (StartedInstance | Error)[], isPartly = false): Promise<unknown> {
  const starts = answers.map((each) => (each instanceof Error ? Promise.reject(each) : Promise.resolve(each)))
  const error = await allStarted([item], starts, isPartly).catch((reason: unknown) => reason)
  return errorCode(error) ?? error
}

describe('the answer to many starts', () => {
  it('is unclear where the node is gone and some are written, or may be', async () => {
    expect(await told([written, fenced])).toBe('START_UNCLEAR')
    expect(await told([fenced, unclear])).toBe('START_UNCLEAR')
    expect(await told([fenced, fenced], true)).toBe('START_UNCLEAR')
    expect(errorCode(partlyStarted([item], fenced))).toBe('START_UNCLEAR')
  })

  it('says that the node or the database is away where nothing was written', async () => {
    expect(await told([fenced, fenced])).toBe('FENCED')
    expect(await told([away, fenced])).toBe('DATABASE_UNREACHABLE')
  })

  it('says first what can never be started', async () => {
    expect(await told([written, fenced, unclear, bad])).toBe(bad)
  })
})
