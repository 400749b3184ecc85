import type { Command } from 'commander'
import { sampleIds } from '../samples/sample-documents.ts'
import { agreed, noun, pathOf, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Of each workflow, at one go. */
const MOST = 1_000
/** What has not ended. */
const OPEN = 'queued,running,suspended,paused,compensating,quarantined'

export function samplesCommand(terminal: Terminal): Command {
  return noun(
    'samples',
    'the sample workflows of "lockstep dev"',
    remoteCommand<{ yes?: boolean; dryRun?: boolean }>(
      terminal,
      'remove',
      'take the sample workflows back: none starts any more, those that run are terminated',
      (c) => c.option('--dry-run', 'say what would go, change nothing').option('-y, --yes', 'do not ask'),
      async (session, _, { yes, dryRun }) => {
        const present = (await session.api.list('/workflow-definitions', {}, Number.MAX_SAFE_INTEGER))
          .filter((each) => sampleIds.includes(each.id) && each.version !== null)
          .map((each) => String(each.id))
        const running: string[] = []
        for (const definition of sampleIds) {
          const query = { definition, status: OPEN }
          running.push(...(await session.api.list('/workflow-instances', query, MOST)).map(({ id }) => String(id)))
        }
        const what = `${present.length} sample workflows, and terminate ${running.length} of their instances`
        if (dryRun === true)
          return session.done(`Would take back ${what}`, { retracted: present, terminated: running.length, dryRun })
        if (present.length + running.length > 0) await agreed(session, yes, `Take back ${what}?`)
        for (const id of present) await session.api.call('POST', pathOf('workflow-definitions', id, 'retract'))
        for (const id of running)
          await session.api.call('POST', pathOf('workflow-instances', id, 'terminate'), {
            body: { reason: 'the samples were removed' },
          })
        const terminated = running.length
        session.done(
          present.length === 0
            ? 'There are no sample workflows here'
            : `${present.length} sample workflows taken back, ${terminated} of their instances terminated`,
          { retracted: present, terminated },
        )
      },
    ),
  )
}
