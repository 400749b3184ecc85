import type { LazyAbort } from '@lockstep/base'
import { type HandedOut, noParts } from '../../progress/attempt-parts.ts'
import type { AttemptParts } from '../../progress/part-writer.ts'
import { type AttemptReport, silentReport } from '../../step/progress-reports.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** What the code of an attempt says of itself and hands out. */
export interface AttemptOutlet {
  report(): AttemptReport
  parts(): HandedOut
}

/** Of an attempt that runs outside. Most say nothing and hand out nothing: what that takes is made when it is asked for. */
export class EffectOutlet implements AttemptOutlet {
  readonly #graph: LiveGraph
  readonly #run: Run
  readonly #abort: LazyAbort
  readonly #beat: () => void
  #report: AttemptReport | undefined
  #parts: AttemptParts | undefined

  constructor(graph: LiveGraph, run: Run, abort: LazyAbort, beat: () => void) {
    this.#graph = graph
    this.#run = run
    this.#abort = abort
    this.#beat = beat
  }

  report(): AttemptReport {
    const { shell, host, secrets } = this.#graph
    const { step, attempt } = this.#run
    this.#report ??= secrets.report(shell.progress.report(host.identity, step, attempt, this.#beat))
    return this.#report
  }

  parts(): HandedOut {
    const { shell, host, secrets } = this.#graph
    this.#parts ??= secrets.parts(shell.parts.attempt(host.identity, this.#run.step, this.#abort.signal))
    return this.#parts
  }

  /** Settles when all that was handed out is durable; `undefined`: nothing was. */
  settled(): Promise<void> | undefined {
    return this.#parts?.settled()
  }
}

/** Of code whose result is one commit, or is there at once. */
export const silentOutlet = (step: Run['step']): AttemptOutlet => ({
  report: () => silentReport,
  parts: () => noParts(step),
})
