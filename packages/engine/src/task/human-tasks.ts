/** Work for people. What they hand in is held against the form before it is taken; the first one counts. */
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { HumanTaskFilter, HumanTaskStore, HumanTaskVerdict, HumanTaskView } from '../store/human-task-store.ts'
import { FormInvalid, UnknownOutcome } from './errors.ts'
import { checkForm } from './form.ts'

export interface HumanTasksOptions {
  readonly humanTasks: HumanTaskStore
  /** Something waits for an instance. */
  readonly onStimulus: (instanceId: string) => void
}

export interface CompleteHumanTask {
  readonly tenant?: string
  readonly id: string
  /** May be left out where there is only one. */
  readonly outcome?: string
  /** What the form asks for. */
  readonly data?: unknown
  /** Who did it. */
  readonly by?: string
}

/** `task` is how it stands now; absent: there is none. */
export type HumanTaskOutcome =
  | { readonly outcome: Exclude<HumanTaskVerdict, 'not-found'>; readonly task: HumanTaskView }
  | { readonly outcome: 'not-found'; readonly task?: undefined }

export class HumanTasks {
  readonly #o: HumanTasksOptions

  constructor(options: HumanTasksOptions) {
    this.#o = options
  }

  get(id: string, tenant: string = DEFAULT_TENANT): Promise<HumanTaskView | undefined> {
    return this.#o.humanTasks.get(tenant, id)
  }

  /** Newest first. */
  list(
    filter: HumanTaskFilter & { readonly before?: string },
    limit: number,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly HumanTaskView[]> {
    const { before, ...rest } = filter
    return this.#o.humanTasks.list(tenant, rest, before, limit)
  }

  /** Throws `UNKNOWN_OUTCOME` and `FORM_INVALID`, which say what to change; nothing has happened then. */
  complete(request: CompleteHumanTask): Promise<HumanTaskOutcome> {
    return this.completeBy(request, undefined)
  }

  async completeBy(request: CompleteHumanTask, tokenHash: string | undefined): Promise<HumanTaskOutcome> {
    const { tenant = DEFAULT_TENANT, id, by } = request
    checkText(by, 'by')
    const found = await this.#o.humanTasks.get(tenant, id)
    if (found === undefined) return { outcome: 'not-found' }
    if (found.status !== 'open') return { outcome: overAs(found), task: found }
    const outcome = outcomeOf(found, request.outcome)
    const data = toPayload(request.data ?? null, 'What was handed in')
    const problems = checkForm(found.form, data)
    if (problems.length > 0) throw new FormInvalid({ problems })
    const message = JSON.stringify({ outcome, data, ...(by === undefined ? {} : { by }) })
    const verdict = await this.#o.humanTasks.end({ tenant, id, outcome, by, message, tokenHash })
    if (verdict === 'not-found') return { outcome: verdict }
    if (verdict === 'done') this.#o.onStimulus(found.instanceId)
    return { outcome: verdict, task: (await this.#o.humanTasks.get(tenant, id)) ?? found }
  }
}

function outcomeOf({ outcomes }: HumanTaskView, given: string | undefined): string {
  const outcome = given ?? (outcomes.length === 1 ? outcomes[0] : undefined)
  if (outcome === undefined || !outcomes.includes(outcome)) throw new UnknownOutcome({ outcome: given, outcomes })
  return outcome
}

const overAs = ({ status }: HumanTaskView) => (status === 'completed' ? 'already-completed' : 'cancelled')
