import { Command } from 'commander'
import { placesOf } from './completion/command-tree.ts'
import { completionScript, SHELLS } from './completion/scripts.ts'
import { UsageError } from './exit-codes.ts'
import type { Terminal } from './terminal/terminal.ts'

/** `loadAll`: every command there is, this one too. */
export function completionCommand({ out }: Terminal, loadAll: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description(`print what lets a shell complete commands and options: ${SHELLS.join(', ')}`)
    .argument('<shell>')
    .allowExcessArguments(false)
    .action(async (wanted: string) => {
      const shell = SHELLS.find((each) => each === wanted)
      if (shell === undefined)
        throw new UsageError({ text: `"${wanted}" is no shell that is known: use ${SHELLS.join(', ')}` })
      out(completionScript(shell, placesOf(await loadAll())))
    })
}
