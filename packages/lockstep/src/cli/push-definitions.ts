import { readDocument } from './document/read-document.ts'
import { EndedBadly, EXIT, ServerProblem, UsageError } from './exit-codes.ts'
import { type Body, unlessMissing } from './remote/api-client.ts'
import { pathOf, type Session } from './remote/remote-command.ts'
import { readText } from './terminal/read-argument.ts'

const D = '/workflow-definitions'

export const problemText = (each: Body): string => `${each.severity} ${each.pointer || '/'} ${each.text} [${each.code}]`

/** Saves a document as draft, or publishes it at once. */
export async function push(session: Session, file: string, publish: boolean): Promise<void> {
  const { terminal, api } = session
  const document = await readDocument(await readText(terminal, file), file)
  const id = document.id
  if (typeof id !== 'string') throw new UsageError({ text: `${file} has no "id": give it one, such as order-approval` })
  const place = pathOf('workflow-definitions', id)
  if (publish) {
    const { body } = await api.call('PUT', place, { body: document })
    return session.done(`${id} version ${body.version} is published`, body)
  }
  const { body } = await saveDraft(session, place, document)
  session.done(`The draft of ${id} is saved`, body)
  for (const each of body.problems) terminal.err(`  ${problemText(each)}\n`)
}

async function saveDraft({ api }: Session, place: string, document: Body) {
  const known = await api.call('GET', `${place}/draft`).catch(unlessMissing)
  if (known === undefined) return api.call('POST', D, { body: document })
  return api.call('PUT', `${place}/draft`, { body: document, headers: { 'if-match': known.etag ?? '*' } })
}

export async function importFile(
  session: Session,
  file: string,
  { format, dryRun, acceptProblems }: { format?: string; dryRun?: boolean; acceptProblems?: boolean },
): Promise<void> {
  const { terminal, api } = session
  const content = await readText(terminal, file)
  const { body } = await api
    .call('POST', `${D}/import`, {
      query: { format, dryRun, acceptProblems },
      text: { type: 'text/plain', content },
    })
    .catch((error: unknown) => {
      if (!ServerProblem.is(error) || error.details.problem.code !== 'IMPORT_INVALID') throw error
      return { body: { written: false, ...(error.details.problem as Body) } }
    })
  if (session.output !== 'table') session.done('', body)
  else {
    session.table(
      body.documents,
      [
        { title: 'ID', text: (row) => row.id ?? `document ${row.index + 1}` },
        { title: 'OUTCOME', text: (row) => row.outcome },
        { title: 'PROBLEMS', text: (row) => String(row.problems.length), align: 'right' },
      ],
      'The text holds no document',
    )
    for (const row of body.documents)
      for (const each of row.problems) terminal.err(`${row.id ?? row.index}: ${problemText(each)}\n`)
    for (const note of body.elsa?.notes ?? [])
      terminal.err(`elsa: ${note.kind} ${note.elsaType} at ${note.pointer}: ${note.reason}. ${note.suggestion}\n`)
  }
  if (!body.written && dryRun !== true)
    throw new EndedBadly({
      text: 'Nothing was written: mend the documents, or use --accept-problems',
      exitCode: EXIT.invalid,
    })
}
