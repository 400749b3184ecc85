/** Running instances go over to another version: one, or all of a workflow. A dry run says of each whether it could. */
import type { Command } from 'commander'
import { EndedBadly, EXIT, ServerProblem } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { pathOf, remoteCommand, type Session, sure } from './remote/remote-command.ts'
import { gather, mappingOf } from './terminal/pairs.ts'

const OPEN = 'queued,running,suspended,paused'

interface MigrateFlags {
  readonly from?: string
  readonly map?: readonly string[]
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export function migrateCommand(terminal: Session['terminal']): Command {
  return remoteCommand<MigrateFlags>(
    terminal,
    'migrate <id> <version>',
    'let all instances that have not ended go on as another version',
    (c) =>
      c
        .option('--from <version>', 'only those of this version')
        .option('--map <old=new>', 'an activity that has another id there', gather)
        .option('--dry-run', 'say of each whether it could, change nothing')
        .option('-y, --yes', 'do not ask'),
    migrateAll,
  )
}

async function migrateAll(
  session: Session,
  [definition, to]: readonly string[],
  { from, map, dryRun, yes }: MigrateFlags,
): Promise<void> {
  const { api } = session
  const version = Number(to)
  const mapping = mappingOf(map)
  const query = { definition, status: OPEN, version: from }
  const found = await api.list('/workflow-instances', query, Number.MAX_SAFE_INTEGER)
  const ids = found.filter((each) => each.version !== version).map(({ id }) => id as string)
  if (dryRun === true) return forecast(session, ids, version, mapping)
  if (ids.length === 0) return session.done(`No instance of ${definition} has to go over`, { migrated: 0 })
  await sure(session, yes, `Let ${ids.length} instance(s) of ${definition} go on as version ${version}?`)
  const rows: Body[] = []
  for (const id of ids) {
    const outcome = await attempt(session, id, { version, mapping })
    rows.push({ id, ...outcome })
    session.progress.show(`${rows.length} of ${ids.length}`)
  }
  session.progress.clear()
  tell(session, rows)
}

/** Asks of each what would become of it. */
export async function forecast(
  session: Session,
  ids: readonly string[],
  version: number,
  mapping: Record<string, string> | undefined,
): Promise<void> {
  const rows: Body[] = []
  for (const id of ids) rows.push({ id, ...(await attempt(session, id, { version, mapping, dryRun: true })) })
  tell(session, rows)
}

function tell(session: Session, rows: readonly Body[]): void {
  session.table(
    rows,
    [
      { title: 'ID', text: (row) => row.id },
      { title: 'OUTCOME', text: (row) => row.outcome },
      { title: 'IN ITS WAY', text: (row) => row.problems.map(problemText).join('; '), elastic: true },
    ],
    'No instance has to go over',
  )
  const refused = rows.filter(({ outcome }) => outcome === 'incompatible').length
  if (refused > 0)
    throw new EndedBadly({ text: `${refused} of ${rows.length} cannot go over as they stand`, exitCode: EXIT.conflict })
}

const problemText = ({ code, step, text, message }: Body): string =>
  [step, text ?? message, `[${code}]`].filter((part) => part !== undefined).join(' ')

async function attempt({ api }: Session, id: string, wanted: object): Promise<Body> {
  try {
    const { body } = await api.call('POST', pathOf('workflow-instances', id, 'migrate'), { body: wanted })
    return { outcome: body.outcome, problems: [] }
  } catch (error) {
    if (!ServerProblem.is(error)) throw error
    const { code, detail, problems } = error.details.problem as Body
    if (code === 'MIGRATION_IMPOSSIBLE') return { outcome: 'incompatible', problems }
    // It has ended, or was deleted, since it was listed.
    if (code === 'INSTANCE_WRONG_STATE' || code === 'INSTANCE_NOT_FOUND')
      return { outcome: 'passed over', problems: [{ code, message: detail }] }
    throw error
  }
}
