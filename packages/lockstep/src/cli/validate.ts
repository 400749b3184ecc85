import { Command } from 'commander'
import type { checkText as CheckText } from './document/check-file.ts'
import { EndedBadly, EXIT } from './exit-codes.ts'
import { readText } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Needs no server: the same checks as publishing, with the line of each problem. */
export function validateCommand(terminal: Terminal): Command {
  return new Command('validate')
    .description('check documents of workflows and schedules without a server; - reads standard input')
    .argument('<files...>')
    .option('--json', 'print problems as JSON')
    .option('--config <file>', 'configuration file whose activities the documents may use')
    .action(async (files: readonly string[], flags: { json?: boolean; config?: string }) => {
      const { readConfigFile } = await import('../options/read-config-file.ts')
      const { checkText } = await import('./document/check-file.ts')
      const { programs } = await readConfigFile(terminal.folder, flags.config)
      const all: object[] = []
      let errors = 0
      for (const file of files) {
        for (const { kind, id, problems } of checkText(await readText(terminal, file), programs.activities)) {
          errors += problems.filter(({ severity }) => severity === 'error').length
          all.push({ file, kind, id: id ?? null, problems })
          if (flags.json !== true) tell(terminal, file, id, kind, problems)
        }
      }
      if (flags.json === true) terminal.out(`${JSON.stringify(all, null, 2)}\n`)
      if (errors > 0)
        throw new EndedBadly({ text: `${errors} error${errors === 1 ? '' : 's'}`, exitCode: EXIT.invalid })
    })
}

function tell(
  { out, colors }: Terminal,
  file: string,
  id: string | undefined,
  kind: string,
  problems: ReturnType<typeof CheckText>[number]['problems'],
): void {
  if (problems.length === 0) out(`${file}: ${kind} ${id ?? ''} ${colors.green('is sound')}\n`)
  for (const { line, column, pointer, code, text, severity } of problems) {
    const paint = severity === 'error' ? colors.red : colors.yellow
    out(`${file}:${line}:${column} ${paint(severity)} ${pointer || '/'} ${text} [${code}]\n`)
  }
}
