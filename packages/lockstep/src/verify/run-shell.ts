import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { defineError } from '@lockstep/base'

export const CommandFailed = defineError(
  'COMMAND_FAILED',
  { retryable: false },
  (d: { command: string; code: number | null; said: string }) =>
    `The command "${d.command}" ended with ${d.code ?? 'a signal'}${d.said === '' ? '' : `: ${d.said}`}`,
)

const MOST_SAID = 500

/** Runs a line of the operator's own. What it prints is told only when it fails. */
export async function runShell(
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env: environment })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-MOST_SAID)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new CommandFailed({ command, code, said: said.trim() })
}
