import { silentLogger } from '@lockstep/base'
import { DatabaseUnreachable, SchemaTooNew, type UnreachableReason } from '@lockstep/postgres'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { waitForDatabase } from './wait-for-database.ts'

const away = (reason: UnreachableReason, message = 'no') =>
  new DatabaseUnreachable({ place: 'db:5432/x', reason, message, fix: 'Look there' })

function open(failures: readonly Error[], waitMs = 60_000, signal?: AbortSignal) {
  const clock = virtualClock()
  const lines: string[] = []
  const logger = {
    ...silentLogger,
    info: (line: string) => void lines.push(`info ${line}`),
    warn: (line: string) => void lines.push(`warn ${line}`),
  }
  let tries = 0
  const attempt = async (): Promise<string> => {
    const failure = failures[Math.min(tries++, failures.length)]
    if (failure !== undefined) throw failure
    return 'open'
  }
  const ended = waitForDatabase(attempt, { waitMs, clock, logger, signal }).catch((error: unknown) => error)
  return { clock, lines, ended, tries: () => tries }
}

describe('a node that starts before its database', () => {
  it('says nothing where the database is there', async () => {
    const { ended, lines } = open([])
    expect([await ended, lines]).toEqual(['open', []])
  })

  it.each(['refused', 'unknown-host', 'no-answer', 'not-ready'] as const)(
    'waits while it is away (%s), and says so once before and once after',
    async (reason) => {
      const { ended, lines, clock } = open([away(reason), away(reason), away(reason)])
      await clock.advance(1_000)
      expect(await ended).toBe('open')
      expect(lines).toEqual(['warn waiting for the database', 'info the database answers'])
    },
  )

  it('waits for a server behind a proxy, which ends connections instead of refusing them', async () => {
    const { ended, clock } = open([away('failed', 'Connection terminated unexpectedly')])
    await clock.advance(1_000)
    expect(await ended).toBe('open')
  })

  it.each([
    ['a wrong password', away('authentication')],
    ['a database that is not there', away('no-database')],
    ['a certificate', away('failed', 'self-signed certificate')],
    ['a schema that is too new', new SchemaTooNew({ found: 9, known: 1, schema: 'lockstep' })],
  ])('does not wait for %s', async (_what, failure) => {
    const { ended, lines, tries } = open([failure])
    expect([await ended, lines, tries()]).toEqual([failure, [], 1])
  })

  it('gives up when the time is over, with the last failure', async () => {
    const failure = away('refused')
    const { ended, lines, clock, tries } = open(
      Array.from({ length: 1_000 }, () => failure),
      2_000,
    )
    await clock.advance(3_000)
    expect([await ended, lines]).toEqual([failure, ['warn waiting for the database']])
    expect(tries()).toBeLessThan(12)
  })

  it('ends with the reason of its signal, in the middle of a pause too', async () => {
    const stop = new AbortController()
    const failures = Array.from({ length: 1_000 }, () => away('refused'))
    const { ended, clock, tries } = open(failures, 60_000, stop.signal)
    await clock.advance(1_100)
    const before = tries()
    stop.abort(new Error('stop'))
    expect([await ended, tries()]).toEqual([new Error('stop'), before])
  })

  it('does not wait where nobody told it to', async () => {
    const { ended, tries } = open([away('refused')], 0)
    expect([await ended, tries()]).toMatchObject([{ code: 'DATABASE_UNREACHABLE' }, 1])
  })
})
