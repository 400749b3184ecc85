import type { Command } from 'commander'
import { forecast } from './migrate-instances.ts'
import type { Body } from './remote/api-client.ts'
import { eachOf } from './remote/each-of.ts'
import { pathOf, remoteCommand, type Session, sure } from './remote/remote-command.ts'
import { gather, mappingOf, pairOf } from './terminal/pairs.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'

/** What operators do with instances, one by one. For many at once there are batches. */
export function instanceVerbs(terminal: Terminal): readonly Command[] {
  const reason = (command: Command): Command => command.option('--reason <text>', 'kept in the journal')
  return [
    remoteCommand<{ reason?: string; children?: boolean; yes?: boolean; dryRun?: boolean }>(
      terminal,
      'terminate <ids...>',
      'end instances at once; nothing is undone',
      (c) =>
        reason(c)
          .option('--children', 'their children too')
          .option('--dry-run', 'show them, change nothing')
          .option('-y, --yes', 'do not ask'),
      async (session, ids, { yes, reason: why, children, dryRun }) => {
        if (dryRun === true) return showAffected(session, ids)
        await sure(session, yes, `End ${countText(ids)} at once, undoing nothing?`)
        await askAll(session, ids, 'terminate', { reason: why, children }, 'is told to end')
      },
    ),
    remoteCommand<{ yes?: boolean; dryRun?: boolean }>(
      terminal,
      'rm <ids...>',
      'delete ended instances with their journals',
      (c) => c.option('--dry-run', 'show what would go, change nothing').option('-y, --yes', 'do not ask'),
      async (session, ids, { yes, dryRun }) => {
        if (dryRun === true) return showDeleted(session, ids)
        await sure(session, yes, `Delete ${countText(ids)} for good?`)
        await eachOf(session, ids, async (id) => {
          await session.api.call('DELETE', pathOf('workflow-instances', id))
          return { text: `${id} is deleted`, body: { id, deleted: true } }
        })
      },
    ),
    remoteCommand<{ reason?: string }>(
      terminal,
      'pause <ids...>',
      'let nothing new of them start',
      reason,
      async (session, ids, flags) => {
        await askAll(session, ids, 'pause', { reason: flags.reason }, 'is told to pause')
      },
    ),
    remoteCommand(
      terminal,
      'continue <ids...>',
      'let paused instances go on',
      (c) => c,
      async (session, ids) => {
        await askAll(session, ids, 'continue', {}, 'goes on')
      },
    ),
    remoteCommand<{ step?: string; set?: readonly string[]; ofVersion?: string; force?: boolean; note?: string }>(
      terminal,
      'retry <ids...>',
      'send what has faulted back to work',
      (c) =>
        c
          .option('--step <step>', 'from this step on, though it may have completed')
          .option('--set <name=json>', 'give a variable another value first', gather)
          .option('--of-version <number>', 'go on as this version')
          .option('--force', 'also when the workflow that ran it knows of its end')
          .option('--note <text>', 'goes to the incidents that this resolves'),
      async (session, ids, { step, set, ofVersion, force, note }) => {
        const version = ofVersion === undefined ? undefined : Number(ofVersion)
        const body = { step, variables: set && valuesOf(set), version, force, note }
        await askAll(session, ids, 'retry', body, 'is tried again')
      },
    ),
    remoteCommand<{ at?: string; input?: string; set?: readonly string[]; correlation?: string }>(
      terminal,
      'fork <id>',
      'begin a new instance as a copy, as it was after one of its facts',
      (c) =>
        c
          .option('--at <seq>', 'number of the fact (the newest)')
          .option('--input <json>', 'JSON, @file, or - for standard input, instead of its own')
          .option('--set <name=json>', 'give a variable another value', gather)
          .option('--correlation <id>', 'instead of its own'),
      async (session, [id], { at, input, set, correlation: correlationId }) => {
        const given = input === undefined ? {} : { input: await readJson(terminal, '--input', input) }
        const wanted = {
          at: at === undefined ? undefined : Number(at),
          variables: set && valuesOf(set),
          correlationId,
          ...given,
        }
        const { body } = await session.api.call('POST', pathOf('workflow-instances', id!, 'fork'), { body: wanted })
        session.done(body.id, body)
      },
    ),
    remoteCommand<{ map?: readonly string[]; dryRun?: boolean }>(
      terminal,
      'migrate <id> <version>',
      'let it go on as another version',
      (c) =>
        c
          .option('--map <old=new>', 'an activity that has another id there', gather)
          .option('--dry-run', 'say whether it could, change nothing'),
      async (session, [id, version], { map, dryRun }) => {
        const mapping = mappingOf(map)
        if (dryRun === true) return forecast(session, [id!], Number(version), mapping)
        await askAll(
          session,
          [id!],
          'migrate',
          { version: Number(version), mapping },
          `goes over to version ${version}`,
        )
      },
    ),
    remoteCommand(
      terminal,
      'set <id> <assignments...>',
      'give variables other values: name=json',
      (c) => c,
      async (session, [id, ...assignments]) =>
        askAll(session, [id!], 'variables', { variables: valuesOf(assignments) }, 'gets the new values'),
    ),
  ]
}

export const countText = (ids: readonly string[]): string =>
  ids.length === 1 ? ids[0]! : `${ids.length} instances (${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''})`

/** What a verb would be about, as it stands. */
export async function showAffected(session: Session, ids: readonly string[]): Promise<void> {
  const rows: Body[] = []
  for (const id of ids) rows.push((await session.api.call('GET', pathOf('workflow-instances', id))).body)
  session.table(
    rows,
    [
      { title: 'ID', text: (row) => row.id },
      { title: 'WORKFLOW', text: (row) => `${row.definitionId} v${row.version}` },
      { title: 'STATUS', text: (row) => row.status },
    ],
    'None',
  )
}

async function showDeleted(session: Session, ids: readonly string[]): Promise<void> {
  const rows: Body[] = []
  for (const id of ids)
    rows.push((await session.api.call('DELETE', pathOf('workflow-instances', id), { query: { dryRun: 'true' } })).body)
  session.table(
    rows,
    [
      { title: 'ID', text: (row) => row.id },
      { title: 'FACTS', text: (row) => String(row.facts), align: 'right' },
      { title: 'INCIDENTS', text: (row) => String(row.incidents), align: 'right' },
    ],
    'None',
  )
}

const askAll = (session: Session, ids: readonly string[], verb: string, wanted: object, told: string): Promise<void> =>
  eachOf(session, ids, async (id) => {
    const { body } = await session.api.call('POST', pathOf('workflow-instances', id, verb), { body: wanted })
    const outcome = body.outcome === 'accepted' ? told : 'was asked for that before'
    return { text: `${id} ${outcome} (${body.instance.status})`, body }
  })

/** Values are JSON; what is none is taken as text. */
function valuesOf(assignments: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    assignments.map((each) => {
      const [name, text] = pairOf('A variable', each)
      try {
        return [name, JSON.parse(text)]
      } catch {
        return [name, text]
      }
    }),
  )
}
