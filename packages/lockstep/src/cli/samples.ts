import type { Command } from 'commander'
import { sampleIds } from '../samples/sample-documents.ts'
import { noun, pathOf, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

/** What has not ended. */
const OPEN = 'queued,running,suspended,paused,compensating,quarantined'

export function samplesCommand(terminal: Terminal): Command {
  return noun(
    'samples',
    'the sample workflows of "lockstep dev"',
    remoteCommand(
      terminal,
      'remove',
      'take the sample workflows back: none starts any more, those that run are terminated',
      (c) => c,
      async (session) => {
        const present = (await session.api.list('/workflow-definitions', {}, Number.MAX_SAFE_INTEGER))
          .filter((each) => sampleIds.includes(each.id) && each.version !== null)
          .map((each) => String(each.id))
        for (const id of present) await session.api.call('POST', pathOf('workflow-definitions', id, 'retract'))
        let terminated = 0
        for (const definition of sampleIds) {
          const running = await session.api.list('/workflow-instances', { definition, status: OPEN }, 1_000)
          for (const { id } of running) {
            await session.api.call('POST', pathOf('workflow-instances', id, 'terminate'), {
              body: { reason: 'the samples were removed' },
            })
            terminated += 1
          }
        }
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
