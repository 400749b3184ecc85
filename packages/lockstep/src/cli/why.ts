import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { pathOf, remoteCommand, type Session } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'

export function whyCommand(terminal: Terminal): Command {
  return remoteCommand(
    terminal,
    'why <instance>',
    'why an instance stands where it stands',
    (c) => c,
    async (session, [id]) => showWhy(session, id!),
  )
}

export async function showWhy(session: Session, id: string): Promise<void> {
  const { terminal, api } = session
  const { body } = await api.call('GET', pathOf('workflow-instances', id, 'why'))
  const now = terminal.now()
  if (session.output === 'table') terminal.out(`${terminal.colors.bold(body.text)}\n\n`)
  session.fields(body, [
    ['instance', `${body.instanceId} of ${body.definitionId} version ${body.version}`],
    ['status', `${body.status} (${body.state} since ${agoText(body.since, now)})`],
    ['held by', body.heldBy === null ? undefined : heldText(body.heldBy)],
    [
      'queue',
      body.queue === null
        ? undefined
        : `${body.queue.name}, ${body.queue.ahead.value} ahead, late by ${spanText(body.queue.lateMs)}`,
    ],
    ['moves', agoText(body.movesAt, now)],
    ...body.waitsFor.map((wait: Body) => ['waits for', waitText(wait, now)] as const),
    ...body.blockers.map((each: Body) => ['blocked', each.text] as const),
    ...body.incidents.map(
      (each: Body) => ['incident', `${each.code} ${each.message} (${agoText(each.at, now)})`] as const,
    ),
    ...body.advice.map((each: string) => ['advice', each] as const),
  ])
}

const heldText = (held: Body): string =>
  `${held.name ?? held.nodeId}, claim ${held.claimNo}${held.alive ? '' : `, silent for ${spanText(held.silentMs ?? 0)}`}`

function waitText(wait: Body, now: number): string {
  const what = wait.name ?? wait.definitionId ?? ''
  const due = wait.dueAt ?? wait.expiresAt
  const end =
    due === null || due === undefined ? '' : `, ${wait.dueAt === undefined ? 'expires' : 'due'} ${agoText(due, now)}`
  return `${wait.kind} ${what}${wait.instanceId === undefined ? '' : ` ${wait.instanceId}`} at ${wait.step}, since ${agoText(wait.since, now)}${end}`
}
