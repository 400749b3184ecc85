import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { exportText } from './document/export-text.ts'
import { UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { pathOf, remoteCommand, type Session, sure } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface PullFlags {
  readonly into?: string
  readonly format?: string
  readonly published?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** The way back of `push`: documents of the server as files, to be kept with the code. */
export function pullCommand(terminal: Terminal): Command {
  return remoteCommand<PullFlags>(
    terminal,
    'pull [ids...]',
    'write documents into files of a folder, all graphs unless some are named',
    (c) =>
      c
        .option('--into <folder>', 'where to (workflows)')
        .option('--format <format>', 'json or yaml (yaml)')
        .option('--published', 'the published versions, not the drafts')
        .option('--dry-run', 'say what would change, write nothing')
        .option('-y, --yes', 'overwrite files without asking'),
    pull,
  )
}

async function pull(
  session: Session,
  ids: readonly string[],
  { into = 'workflows', format = 'yaml', published, dryRun, yes }: PullFlags,
): Promise<void> {
  const { terminal, api } = session
  const folder = path.resolve(terminal.folder, into)
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError({ text: `--into ${into} is a file: name a folder` })
  const wanted = ids.length > 0 ? ids : await graphsOf(session, published === true)
  const query = { format, source: published ? 'published' : 'draft' }
  const files: { id: string; file: string; text: string; change: string }[] = []
  for (const id of wanted) {
    const text = await exportText(session, pathOf('workflow-definitions', id, 'export'), query)
    const file = path.join(folder, `${id}.${format}`)
    const change = !existsSync(file) ? 'new' : readFileSync(file, 'utf8') === text ? 'same' : 'changed'
    files.push({ id, file, text, change })
  }
  const changed = files.filter(({ change }) => change === 'changed')
  if (dryRun !== true) {
    if (changed.length > 0) await sure(session, yes, `Overwrite ${changed.length} file(s) in ${into}?`)
    mkdirSync(folder, { recursive: true })
    for (const { file, text, change } of files) if (change !== 'same') writeFileSync(file, text)
  }
  session.table(
    files.map(({ id, file, change }) => ({ id, file: path.relative(terminal.folder, file), change })),
    [
      { title: 'ID', text: (row: Body) => row.id },
      { title: 'FILE', text: (row: Body) => row.file },
      { title: 'CHANGE', text: (row: Body) => row.change },
    ],
    `${api.url} has no graphs`,
  )
}

async function graphsOf({ api }: Session, published: boolean): Promise<readonly string[]> {
  const query = { kind: 'graph', ...(published ? { published } : {}) }
  return (await api.list('/workflow-definitions', query, Number.MAX_SAFE_INTEGER)).map(({ id }) => id)
}
