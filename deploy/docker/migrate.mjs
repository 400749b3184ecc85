// Brings the schema up to date as its owner and ends. Nodes then run with a role that cannot change the schema and
// LOCKSTEP_MIGRATE=check. Any number may run at once: they take turns, one applies, the others find nothing to do.

import { readFileSync } from 'node:fs'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate, openPostgres } from '@lockstep/postgres'

const { LOCKSTEP_DATABASE_URL, LOCKSTEP_DATABASE_URL_FILE } = process.env
const url =
  LOCKSTEP_DATABASE_URL?.trim() ??
  (LOCKSTEP_DATABASE_URL_FILE && readFileSync(LOCKSTEP_DATABASE_URL_FILE, 'utf8').trim())
if (!url)
  throw new Error('Set LOCKSTEP_DATABASE_URL or LOCKSTEP_DATABASE_URL_FILE to the URL of the owner of the schema')

const db = await openPostgres({ url, clock, random })
try {
  const applied = await migrate(db, { mode: 'auto', clock, random, appliedBy: 'migrate' })
  process.stdout.write(`${JSON.stringify({ msg: 'schema is up to date', applied: applied.map(({ name }) => name) })}\n`)
} finally {
  await db.close()
}
