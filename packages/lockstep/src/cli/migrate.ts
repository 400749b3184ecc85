import type { Command } from 'commander'
import { type LocalFlags, localCommand, tell } from './local-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface MigrateFlags extends LocalFlags {
  readonly databaseUrl?: string
  readonly dataDir?: string
  readonly status?: boolean
  readonly dryRun?: boolean
}

/** The schema of a store: which steps it has, what the others would do, and doing them. */
export function migrateCommand(terminal: Terminal): Command {
  return localCommand('migrate', 'bring the schema of a store to this version, without a node')
    .option('--database-url <url>', 'PostgreSQL [LOCKSTEP_DATABASE_URL]')
    .option('--data-dir <folder>', 'embedded store; no node may have it open (.lockstep) [LOCKSTEP_DATA_DIR]')
    .option('--status', 'only say which steps are applied')
    .option('--dry-run', 'print the SQL of the steps that are not, and change nothing')
    .action((flags: MigrateFlags) => run(terminal, flags))
}

async function run(terminal: Terminal, flags: MigrateFlags): Promise<void> {
  const { openStore, placeOf, directEdge } = await import('./direct-store.ts')
  const { migrate, planMigrations } = await import('@lockstep/postgres')
  await using db = await openStore(placeOf(terminal, flags), 'off')
  const plan = await planMigrations(db)
  const steps = plan.map(({ name, status, checksum, compatibleFrom }) => ({
    name,
    status,
    checksum,
    compatibleFrom: compatibleFrom ?? null,
  }))
  const pending = plan.filter(({ status }) => status === 'pending')
  const count = `${pending.length} of ${plan.length} steps`
  if (flags.status === true) {
    const lines = steps.map(({ name, status }) => `${status.padEnd(7)}  ${name}`)
    return tell(terminal, flags, [...lines, `${count} to apply`].join('\n'), { pending: pending.length, steps })
  }
  if (flags.dryRun === true) {
    if (flags.json === true)
      return tell(terminal, flags, '', { pending: pending.map(({ name, sql }) => ({ name, sql })) })
    // Data as it is, for people and programs alike: psql reads it.
    const text = pending.map(({ name, sql }) => `-- ${name}\n${sql.trimEnd()}\n`).join('\n')
    return terminal.out(text === '' ? '-- nothing to apply\n' : text)
  }
  const applied = await migrate(db, { mode: 'auto', appliedBy: 'lockstep migrate', ...directEdge })
  const names = applied.map(({ name }) => name)
  tell(terminal, flags, names.length === 0 ? 'The schema is up to date' : `Applied ${names.join(', ')}`, {
    applied: names,
  })
}
