import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { workflow } from '@lockstep/engine'
import { cloneDatabase } from '@lockstep/testing/harness'
import { describe, expect, inject, it } from 'vitest'
import { newKeyText, openSecretSite } from '../security/secret-site.ts'

const VALUE = 'the token of the till'
const booking = workflow('booking', async (ctx) =>
  ctx.transaction('book', async (tx) => {
    await tx.query('create table if not exists booked (token text)')
    const token = await ctx.secret('till-token')
    await tx.query('insert into booked values ($1)', [token])
    const [row] = await tx.query<{ count: number }>('select count(*)::int4 as count from booked where token = $1', [
      token,
    ])
    return { count: row!.count, token }
  }),
)
/** One branch is inside a transaction while the other asks: both get it. */
const beside = workflow('beside', async (ctx) => {
  const [inside, outside] = await ctx.all([
    ctx.transaction('book', async (tx) => {
      await tx.query('select 1')
      return (await ctx.secret('till-token')).length
    }),
    ctx.secret('till-token'),
  ])
  // The transaction is over, and what it left behind must not go on using it.
  return [inside, outside.length, (await ctx.secret('till-token')).length]
})

const stores = {
  embedded: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-secret-tx-'))
    return { at: { LOCKSTEP_DATA_DIR: folder }, drop: async () => rmSync(folder, { recursive: true, force: true }) }
  },
  PostgreSQL: async () => {
    const database = await cloneDatabase(inject('postgres'))
    return { at: { LOCKSTEP_DATABASE_URL: database.url }, drop: () => database.drop() }
  },
}

describe.each(Object.entries(stores))('a secret inside ctx.transaction, %s', (_name, open) => {
  it('is read over the connection of the transaction, and masked in what is recorded', async () => {
    const { at, drop } = await open()
    try {
      await using site = await openSecretSite(
        { ...at, LOCKSTEP_SECRET_KEYS: newKeyText() },
        { workflows: [booking, beside] },
      )
      expect((await site.set('till-token', VALUE)).status).toBe(200)
      const run = async (definitionId: string) =>
        (await site.send('POST', '/workflow-instances', { definitionId, wait: '60s' })).body
      const booked = await run('booking')
      expect([booked.status, booked.output]).toEqual(['completed', { count: 1, token: '[secret]' }])
      const both = await run('beside')
      expect([both.status, both.output]).toEqual(['completed', [VALUE.length, VALUE.length, VALUE.length]])
    } finally {
      await drop()
    }
  })
})
