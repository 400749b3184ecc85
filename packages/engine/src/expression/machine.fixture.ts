import { systemClock } from '@lockstep/base'
import { OUTPUT_BYTES } from './limits.ts'
import { type ProgramKind, parseProgram } from './program.ts'
import { compileEngine } from './sandbox-engine.ts'
import { type Machine, type MachineTime, openMachine } from './sandbox-machine.ts'
import type { MachineSettings, SandboxOutcome } from './sandbox-protocol.ts'
import { type ExpressionScope, scopeText } from './scope.ts'

export const emptyScope: ExpressionScope = { input: {}, vars: {}, steps: {} }

/** A machine without its thread. */
export interface MachineHarness {
  readonly machine: Machine
  run(source: string, scope?: ExpressionScope, kind?: ProgramKind): Promise<SandboxOutcome>
  /** The outcome as one line: JSON, `threw TypeError`, `limit time` or `invalid`. */
  line(source: string, scope?: ExpressionScope, kind?: ProgramKind): Promise<string>
}

/** Nobody knows what the thread works. */
const alone: MachineTime = { monotonic: systemClock.monotonic, workedMs: () => Number.NaN }

export async function openHarness(
  changes: Partial<MachineSettings> = {},
  time: Partial<MachineTime> = {},
): Promise<MachineHarness> {
  const engine = await compileEngine()
  const settings = { engine, softLimitMs: 2_000, memoryBytes: 16 * 1024 * 1024, outputBytes: OUTPUT_BYTES, ...changes }
  const machine = await openMachine(settings, { ...alone, ...time })
  const run: MachineHarness['run'] = async (source, scope = emptyScope, kind = 'expression') => {
    const { text, references } = parseProgram(source, kind)
    const outcome = machine.run({ program: text, scope: scopeText(scope, references) })
    await machine.reset()
    return outcome
  }
  return { machine, run, line: async (...call) => describeOutcome(await run(...call)) }
}

function describeOutcome(outcome: SandboxOutcome): string {
  switch (outcome.status) {
    case 'value':
      return outcome.json
    case 'threw':
      return `threw ${outcome.name}`
    case 'limit':
      return `limit ${outcome.limit}`
    case 'invalid':
      return 'invalid'
  }
}
