import { existsSync, renameSync } from 'node:fs'
import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import { countsTable, formOf, type LocalFlags, localCommand, tell } from './local-command.ts'
import { progressOn } from './terminal/progress.ts'
import type { Terminal } from './terminal/terminal.ts'

interface MoveFlags extends LocalFlags {
  readonly databaseUrl?: string
  readonly dataDir?: string
  readonly dryRun?: boolean
  readonly keep?: boolean
}

export function moveCommand(terminal: Terminal): Command {
  return localCommand('move', 'bring an embedded store into an empty PostgreSQL, with everything that is under way')
    .option('--database-url <url>', 'where to [LOCKSTEP_DATABASE_URL]')
    .option('--data-dir <folder>', 'embedded store; no node may have it open (.lockstep) [LOCKSTEP_DATA_DIR]')
    .option('--dry-run', 'say what would be moved and whether it could be')
    .option('--keep', 'leave the folder under its name: a node that is started on it runs everything a second time')
    .action((flags: MoveFlags) => run(terminal, flags))
}

async function run(terminal: Terminal, flags: MoveFlags): Promise<void> {
  const { openStore, placeOf, directEdge } = await import('./direct-store.ts')
  const { countRows, moveStore, requireEmpty } = await import('../transfer/move-store.ts')
  const folder = placeOf(terminal, flags).dataDir
  const { databaseUrl } = placeOf(terminal, { databaseUrl: flags.databaseUrl })
  if (databaseUrl === undefined)
    throw new UsageError({ text: 'Where to? Name a PostgreSQL with --database-url or LOCKSTEP_DATABASE_URL' })
  const progress = progressOn(terminal)
  const report = await (async () => {
    await using source = await openStore({ dataDir: folder }, 'check')
    await using target = await openStore({ databaseUrl }, 'off')
    await requireEmpty(target)
    if (flags.dryRun === true) return await countRows(source)
    const { migrate } = await import('@lockstep/postgres')
    await migrate(target, { mode: 'auto', appliedBy: 'lockstep move', ...directEdge })
    return await moveStore(source, target, (text) => progress.show(text))
  })().finally(() => progress.clear())
  const rows = report.tables.reduce((sum, each) => sum + each.rows, 0)
  const counts = formOf(terminal, flags) === 'table' ? countsTable(report.tables) : ''
  if (flags.dryRun === true)
    return tell(terminal, flags, `${counts}${rows} rows would be moved; the target is empty`, {
      ...report,
      dryRun: true,
    })
  const now = flags.keep === true ? folder : putAside(folder)
  const left = now === folder ? 'Start no node on the folder any more' : `The folder is kept as ${now}`
  tell(terminal, flags, `${counts}${rows} rows were moved and compared. ${left}`, { ...report, folder: now })
}

/** Nobody starts a node on it by mistake: what is under way would then run twice. */
function putAside(folder: string): string {
  const free = (at: number): string => {
    const name = `${folder}.moved${at === 1 ? '' : `-${at}`}`
    return existsSync(name) ? free(at + 1) : name
  }
  const to = free(1)
  renameSync(folder, to)
  return to
}
