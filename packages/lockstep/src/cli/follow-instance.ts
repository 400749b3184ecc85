import { EndedBadly, EXIT } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { pathOf, type Session } from './remote/remote-command.ts'
import { oneLine } from './terminal/table.ts'
import { spanText } from './terminal/time-text.ts'

/** How often new facts are looked for. The server answers sooner when the instance ends. */
const LOOK_MS = 1_000
const ENDED = new Set(['completed', 'faulted', 'cancelled', 'terminated'])

/** Prints facts as they happen, then how it ended, and ends badly unless it completed. `limitMs`: gives up after so long. */
export async function followInstance(session: Session, id: string, limitMs?: number): Promise<void> {
  try {
    await followToEnd(session, id, limitMs)
  } finally {
    session.progress.clear()
  }
}

async function followToEnd(session: Session, id: string, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
  const { terminal, api, progress } = session
  const until = terminal.now() + limitMs
  const facts = factPrinter(session, id)
  const began = terminal.now()
  for (;;) {
    const waitMs = Math.max(0, Math.min(LOOK_MS, until - terminal.now()))
    const { body } = await api.call('GET', pathOf('workflow-instances', id), { query: { wait: Math.round(waitMs) } })
    progress.clear()
    await facts()
    if (ENDED.has(body.status)) return tell(session, body)
    if (terminal.now() >= until) {
      if (session.output !== 'jsonl') session.done(`${id} is ${body.status} and has not ended`, body)
      throw new EndedBadly({ text: `${id} had not ended after ${spanText(limitMs)}`, exitCode: EXIT.timedOut })
    }
    progress.show(`${body.status}${waitText(body)}, ${spanText(terminal.now() - began)} …`)
  }
}

/** What it stands at, for the line that changes. */
const waitText = ({ waitingFor }: Body): string =>
  waitingFor.length === 0 ? '' : `, waits for ${waitingFor.map((wait: Body) => oneLine(wait.name)).join(', ')}`

/** Prints what came since it was last called, beside the answer: on standard error. As lines of JSON, the facts are the answer. */
function factPrinter({ terminal, api, output }: Session, id: string): () => Promise<void> {
  const { errColors: colors } = terminal
  let seen = 0
  return async () => {
    if (output !== 'table' && output !== 'jsonl' && !terminal.errIsTerminal) return
    for (;;) {
      const { body } = await api.call('GET', pathOf('workflow-instances', id, 'journal'), {
        query: { after: seen, limit: 200 },
      })
      for (const fact of body.items) {
        seen = fact.seq
        if (output === 'jsonl') {
          terminal.out(`${JSON.stringify(fact)}\n`)
          continue
        }
        const step = fact.data.step === undefined ? '' : ` ${oneLine(fact.data.step)}`
        terminal.err(`${colors.gray(fact.at.slice(11, 23))} ${fact.kind}${colors.bold(step)}${detailOf(fact)}\n`)
      }
      if (body.page.next === null) return
    }
  }
}

/** The part of a fact that a person follows. */
function detailOf({ kind, data }: Body): string {
  if (kind === 'completed') return given(data.output)
  if (kind === 'waiting') return ` for ${oneLine(data.wait.name ?? data.wait.kind)}`
  if (kind === 'failed' || kind === 'retrying') return ` ${oneLine(data.error.message)}`
  if (kind === 'ended') return ` ${data.status}`
  return kind === 'started' ? given(data.input) : ''
}

/** Nothing, where there is nothing. */
const given = (value: unknown): string => ((value ?? null) === null ? '' : ` ${short(value)}`)

const short = (value: unknown): string => {
  const text = oneLine(JSON.stringify(value))
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

function tell(session: Session, body: Body): void {
  const result = body.status === 'completed' ? `: ${JSON.stringify(body.output)}` : ''
  if (session.output !== 'jsonl') session.done(`${body.id} ${body.status}${result}`, body)
  if (body.status === 'completed') return
  const error = body.error === null ? '' : `: ${body.error.message} [${body.error.code}]`
  throw new EndedBadly({ text: `${body.id} ended as ${body.status}${error}`, exitCode: EXIT.failed })
}
