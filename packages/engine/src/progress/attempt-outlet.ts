import type { LazyAbort } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import type { UsedSecrets } from '../secret/used-secrets.ts'
import { type AttemptReport, type ProgressReports, silentReport } from '../step/progress-reports.ts'
import type { ExecutionHost } from '../worker/execution.ts'
import { type HandedOut, noParts } from './attempt-parts.ts'
import type { AttemptParts, PartWriter } from './part-writer.ts'

/** What the code of an attempt says of itself and hands out. */
export interface AttemptOutlet {
  report(): AttemptReport
  parts(): HandedOut
}

/** The graph or function whose attempt it is. */
export interface OutletOwner {
  readonly host: ExecutionHost
  readonly shell: { readonly progress: ProgressReports; readonly parts: PartWriter }
  readonly secrets: UsedSecrets
}

/** Of an attempt that runs outside. Most say nothing and hand out nothing: what that takes is made when it is asked for. */
export class EffectOutlet implements AttemptOutlet {
  readonly #owner: OutletOwner
  readonly #step: StepKey
  readonly #attempt: number
  readonly #abort: LazyAbort
  readonly #beat: () => void
  #report: AttemptReport | undefined
  #parts: AttemptParts | undefined

  constructor(owner: OutletOwner, step: StepKey, attempt: number, abort: LazyAbort, beat: () => void) {
    this.#owner = owner
    this.#step = step
    this.#attempt = attempt
    this.#abort = abort
    this.#beat = beat
  }

  report(): AttemptReport {
    if (this.#report === undefined) {
      const { shell, host, secrets } = this.#owner
      this.#report = secrets.report(shell.progress.report(host.identity, this.#step, this.#attempt, this.#beat))
    }
    return this.#report
  }

  parts(): HandedOut {
    if (this.#parts === undefined) {
      const { shell, host, secrets } = this.#owner
      this.#parts = secrets.parts(shell.parts.attempt(host.identity, this.#step, this.#abort.signal))
    }
    return this.#parts
  }

  /** Runs the code of the attempt: it has ended well when all that it handed out is durable. */
  async around<T>(run: () => T | Promise<T>): Promise<T> {
    try {
      const value = await run()
      if (this.#parts !== undefined) await this.#parts.settled()
      return value
    } catch (error) {
      void this.#parts?.settled().catch(() => undefined) // nothing more is taken from it
      throw error
    }
  }
}

/** Of code whose result is one commit, or is there at once. */
export const silentOutlet = (step: StepKey): AttemptOutlet => ({
  report: () => silentReport,
  parts: () => noParts(step),
})
