import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { version } from '../version.ts'
import { UsageError } from './exit-codes.ts'
import { type LocalFlags, localCommand, tell } from './local-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface BackupFlags extends LocalFlags {
  readonly dataDir?: string
  readonly force?: boolean
}

const DATA_DIR = 'folder of the embedded store (.lockstep) [LOCKSTEP_DATA_DIR]'

export function backupCommand(terminal: Terminal): Command {
  return localCommand('backup', 'write an embedded store into one file; no node may have it open')
    .argument('<file>')
    .option('--data-dir <folder>', DATA_DIR)
    .option('--force', 'write over a file that is there')
    .action(async (file: string, flags: BackupFlags) => {
      const { directEdge } = await import('./direct-store.ts')
      const { backupFolder } = await import('../transfer/backup-folder.ts')
      const dataDir = await folderOf(terminal, flags, 'pg_dump backs up a PostgreSQL')
      const target = path.resolve(terminal.folder, file)
      if (!existsSync(path.dirname(target)))
        throw new UsageError({ text: `There is no folder ${path.dirname(file)} for the backup: make it first` })
      const wanted = { dataDir, file: target, force: flags.force === true, version }
      const report = await backupFolder(wanted, directEdge)
      const size = `${report.files} files, ${Math.ceil(report.bytes / 1_000_000)} MB`
      tell(terminal, flags, `${file} holds the store in ${dataDir} (${size})`, report)
    })
}

export function restoreCommand(terminal: Terminal): Command {
  return localCommand('restore', 'bring a backup back as an embedded store')
    .argument('<file>')
    .option('--data-dir <folder>', DATA_DIR)
    .option('--force', 'move what is there aside')
    .action(async (file: string, flags: BackupFlags) => {
      const { directEdge, openStore } = await import('./direct-store.ts')
      const { restoreFolder } = await import('../transfer/restore-folder.ts')
      const dataDir = await folderOf(terminal, flags, 'pg_restore restores a PostgreSQL')
      const check = async (folder: string): Promise<void> => {
        const { planMigrations } = await import('@lockstep/postgres')
        await using db = await openStore({ dataDir: folder }, 'off')
        await planMigrations(db)
      }
      const wanted = { file: path.resolve(terminal.folder, file), dataDir, force: flags.force === true, check }
      const report = await restoreFolder(wanted, directEdge)
      const aside = report.before === undefined ? '' : `; what was there is now ${report.before}`
      tell(terminal, flags, `${dataDir} is as it was at ${report.madeAt}${aside}`, report)
    })
}

/** These are about files: a database server has its own means. */
async function folderOf(terminal: Terminal, flags: BackupFlags, advice: string): Promise<string> {
  const { placeOf } = await import('./direct-store.ts')
  const { databaseUrl, dataDir } = placeOf(terminal, flags)
  if (databaseUrl !== undefined)
    throw new UsageError({ text: `This is for the embedded store: ${advice}. Name a folder with --data-dir` })
  return dataDir
}
