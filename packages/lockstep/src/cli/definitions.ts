import type { Command } from 'commander'
import { exportText } from './document/export-text.ts'
import { migrateCommand } from './migrate-instances.ts'
import { pullCommand } from './pull-definitions.ts'
import { importFile, problemText, push } from './push-definitions.ts'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import { rollbackCommand } from './rollback-definition.ts'
import { startCommand } from './start-instance.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { validateCommand } from './validate.ts'

const D = '/workflow-definitions'

interface ListFlags {
  readonly search?: string
  readonly tag?: string
  readonly kind?: string
  readonly name?: string
  readonly published?: boolean
  readonly sort?: string
}

export function definitionsCommand(terminal: Terminal): Command {
  const yes = (command: Command): Command => command.option('-y, --yes', 'do not ask')
  return noun(
    'definitions',
    'workflows, their drafts and versions',
    startCommand(terminal, 'run', 'start an instance, the same as instances start'),
    remoteCommand<PagedFlags & ListFlags>(
      terminal,
      'list',
      'list workflows',
      (c) =>
        paged(c)
          .option('-q, --search <text>', 'those with this in their id, name or tags')
          .option('--tag <list>', 'those that have any of these tags')
          .option('--name <prefix>', 'those whose name begins so')
          .option('--kind <kind>', 'graph or function')
          .option('--published', 'those of which new instances can start')
          .option('--sort <order>', 'id, name or updatedAt; a minus turns it around (id)'),
      async (session, _, { kind, name, published, tag, search: q, sort, ...page }) => {
        await session.list(
          { path: D, query: { q, tag, kind, name, published, sort }, limit: limitOf(page) },
          [
            { title: 'ID', text: (row) => row.id },
            { title: 'NAME', text: (row) => row.name, elastic: true },
            { title: 'KIND', text: (row) => row.kind },
            { title: 'VERSION', text: (row) => (row.version === null ? 'draft only' : `v${row.version}`) },
            { title: 'TAGS', text: (row) => row.tags.join(' '), elastic: true },
          ],
          'No workflows yet. Write one with "lockstep init", send it with "lockstep definitions push"',
        )
      },
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show a workflow and its draft',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('workflow-definitions', id!))
        const { body: draft } = await session.api.call('GET', pathOf('workflow-definitions', id!, 'draft'))
        session.fields({ ...body, draft: draft.draft, problems: draft.problems }, [
          ['id', body.id],
          ['name', body.name],
          ['kind', body.kind],
          ['tags', body.tags.length === 0 ? undefined : body.tags.join(' ')],
          ['published', body.version === null ? 'no' : `version ${body.version}`],
          ['draft', `revision ${body.etag.replaceAll('"', '')}`],
          ['activities', draft.draft?.activities?.map((each: Body) => `${each.id} (${each.type})`).join(', ')],
          ...draft.problems.map((each: Body) => ['problem', problemText(each)] as const),
        ])
      },
    ),
    remoteCommand<PagedFlags>(
      terminal,
      'versions <id>',
      'list published versions',
      paged,
      async (session, [id], flags) => {
        await session.list(
          { path: pathOf('workflow-definitions', id!, 'versions'), limit: limitOf(flags) },
          [
            { title: 'VERSION', text: (row) => `v${row.version}`, align: 'right' },
            { title: 'CURRENT', text: (row) => (row.current ? 'yes' : '') },
            { title: 'PUBLISHED', text: (row) => agoText(row.publishedAt, terminal.now()) },
            { title: 'HASH', text: (row) => row.hash.slice(0, 12) },
          ],
          'It was never published',
        )
      },
    ),
    remoteCommand<{ publish?: boolean }>(
      terminal,
      'push <file>',
      'save a document as draft; - reads standard input',
      (c) => c.option('--publish', 'publish it too: a document with errors then changes nothing'),
      async (session, [file], { publish }) => push(session, file!, publish === true),
    ),
    remoteCommand(
      terminal,
      'publish <id>',
      'make the draft the version that new instances get',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('POST', pathOf('workflow-definitions', id!, 'publish'))
        session.done(`${body.id} version ${body.version} is published`, body)
      },
    ),
    remoteCommand(
      terminal,
      'republish <id> <version>',
      'make an older version current again',
      (c) => c,
      async (session, [id, version]) => {
        const { body } = await session.api.call(
          'POST',
          pathOf('workflow-definitions', id!, 'versions', version!, 'publish'),
        )
        session.done(`${body.id} version ${body.version} is current again`, body)
      },
    ),
    remoteCommand<{ yes?: boolean; dryRun?: boolean }>(
      terminal,
      'retract <id>',
      'let no new instance start',
      (c) => yes(c).option('--dry-run', 'show what would be retracted, change nothing'),
      async (session, [id], flags) => {
        if (flags.dryRun === true) {
          const { body } = await session.api.call('GET', pathOf('workflow-definitions', id!))
          const standing = body.version === null ? 'is not published' : `version ${body.version} would be retracted`
          return session.done(`${id} ${standing}`, body)
        }
        await sure(session, flags.yes, `Let no new instance of ${id} start?`)
        const { body } = await session.api.call('POST', pathOf('workflow-definitions', id!, 'retract'))
        session.done(`${id} is retracted; what runs goes on`, body)
      },
    ),
    validateCommand(terminal),
    rollbackCommand(terminal),
    migrateCommand(terminal),
    pullCommand(terminal),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'discard <id>',
      'undo what was saved since the current version',
      yes,
      async (session, [id], flags) => {
        await sure(session, flags.yes, `Throw away the draft of ${id}? A workflow without a version is deleted.`)
        const { body } = await session.api.call('DELETE', pathOf('workflow-definitions', id!, 'draft'))
        session.done(
          body.status === 'deleted' ? `${id} is deleted` : `The draft of ${id} is version ${body.version} again`,
          body,
        )
      },
    ),
    remoteCommand(
      terminal,
      'diff <id> [from] [to]',
      'what differs between versions: a number, published or draft',
      (c) => c,
      async (session, [id, from, to]) => {
        const { body } = await session.api.call('GET', pathOf('workflow-definitions', id!, 'diff'), {
          query: { from, to },
        })
        if (session.output !== 'table') return session.done('', body)
        session.table(
          body.changes,
          [
            { title: 'CHANGE', text: (row) => row.change },
            { title: 'OF', text: (row) => `${row.subject} ${row.id ?? row.name ?? edgeText(row)}`.trim() },
            { title: 'MIGRATION', text: (row) => row.migration },
            { title: 'WHY', text: (row) => row.reason },
            { title: 'FIELDS', text: fieldsText, elastic: true },
          ],
          'They mean the same',
        )
      },
    ),
    remoteCommand<PagedFlags>(
      terminal,
      'consumers <id>',
      'list workflows that run this one',
      paged,
      async (session, [id], flags) => {
        await session.list(
          { path: pathOf('workflow-definitions', id!, 'consumers'), limit: limitOf(flags) },
          [
            { title: 'ID', text: (row) => row.id },
            { title: 'NAME', text: (row) => row.name, elastic: true },
            { title: 'VERSION', text: (row) => `v${row.version}` },
            { title: 'CURRENT', text: (row) => (row.current ? 'yes' : '') },
          ],
          'No graph runs it',
        )
      },
    ),
    remoteCommand<{ format?: string; published?: boolean }>(
      terminal,
      'export <ids...>',
      'print documents as text that import reads',
      (c) =>
        c
          .option('--format <format>', 'json or yaml (yaml)')
          .option('--published', 'the published version, not the draft'),
      async (session, ids, { format = 'yaml', published }) => {
        const query = { format, source: published ? 'published' : 'draft' }
        const texts: string[] = []
        for (const id of ids) texts.push(await exportText(session, pathOf('workflow-definitions', id, 'export'), query))
        terminal.out(
          format === 'yaml'
            ? texts.join('---\n')
            : texts.length === 1
              ? texts[0]!
              : `[\n${texts.map((each) => each.trimEnd()).join(',\n')}\n]\n`,
        )
      },
    ),
    remoteCommand<{ format?: string; dryRun?: boolean; acceptProblems?: boolean }>(
      terminal,
      'import <file>',
      'write drafts from JSON, YAML or what Elsa 3 exports; - reads standard input',
      (c) =>
        c
          .option('--format <format>', 'json, yaml or elsa (what it looks like)')
          .option('--dry-run', 'say what would happen, write nothing')
          .option('--accept-problems', 'take documents with errors too, as drafts'),
      async (session, [file], flags) => importFile(session, file!, flags),
    ),
  )
}

/** `/name: "Orders" → "All orders"`. */
const fieldsText = ({ fields = [] }: Body): string =>
  fields
    .map(({ pointer, before, after }: Body) => `${pointer}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`)
    .join(', ')

const edgeText = (row: Body): string => (row.from === undefined ? '' : `${row.from} --${row.outcome}--> ${row.to}`)
