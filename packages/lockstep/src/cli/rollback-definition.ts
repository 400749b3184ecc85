import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { agreed, pathOf, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

/** `republish` of the version before, without having to know its number. */
export function rollbackCommand(terminal: Terminal): Command {
  return remoteCommand<{ yes?: boolean; dryRun?: boolean }>(
    terminal,
    'rollback <id>',
    'make the version before the current one current again',
    (c) => c.option('--dry-run', 'say which one it is, change nothing').option('-y, --yes', 'do not ask'),
    async (session, [id], { yes, dryRun }) => {
      const place = pathOf('workflow-definitions', id!)
      const versions: readonly Body[] = await session.api.list(`${place}/versions`, {}, Number.MAX_SAFE_INTEGER)
      const current = versions.find((each) => each.current)?.version
      const before = versions
        .map(({ version }) => version as number)
        .filter((version) => current !== undefined && version < current)
        .sort((a, b) => b - a)[0]
      if (before === undefined)
        throw new UsageError({
          text:
            current === undefined
              ? `${id} has no current version: name one with "lockstep definitions republish ${id} <version>"`
              : `${id} has no version before ${current}`,
        })
      if (dryRun === true)
        return session.done(`${id} would go from version ${current} to ${before}`, { from: current, to: before })
      await agreed(session, yes, `New instances of ${id} get version ${current}. Give them version ${before} again?`)
      const { body } = await session.api.call('POST', `${place}/versions/${before}/publish`)
      session.done(`${body.id} version ${body.version} is current again, instead of ${current}`, body)
    },
  )
}
