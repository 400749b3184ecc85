/** What reaches the engine from outside besides stimuli: workers, people, requests and events that start something. Put together for one engine. */
import type { Clock, Logger, Random } from '@lockstep/base'
import type { Sandbox } from '../expression/sandbox.ts'
import type { PartialResults } from '../progress/partial-results.ts'
import type { StartedInstance, StartRequest } from '../start/start-request.ts'
import type { EngineStore } from '../store/engine-store.ts'
import { HumanTasks } from '../task/human-tasks.ts'
import { ResumeTokens } from '../task/resume-tokens.ts'
import { Tasks } from '../task/tasks.ts'
import type { CancelOptions, GraphOutside } from '../worker/graph/graph-outside.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { EventTriggers } from './event-triggers.ts'
import { HttpAnswers } from './http-answers.ts'
import { HttpTriggers } from './http-triggers.ts'

export interface OutsideWorkOptions {
  readonly store: EngineStore
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly bus: WakeBus
  readonly sandbox: Sandbox
  readonly start: (request: StartRequest) => Promise<StartedInstance>
  /** `false`: unknown, or ended already. */
  readonly cancel: (tenant: string, instanceId: string, how: CancelOptions | undefined) => Promise<boolean>
  /** Something waits for an instance. */
  readonly onStimulus: (instanceId: string) => void
  readonly results: PartialResults
}

/** What nodes tell one another. */
const TASK_TOPIC = 'task'
const ANSWER_TOPIC = 'answer:'

export class OutsideWork {
  readonly tasks: Tasks
  readonly humanTasks: HumanTasks
  readonly resumeTokens: ResumeTokens
  readonly http: HttpTriggers
  readonly events: EventTriggers
  /** For the graphs that run here. */
  readonly graphs: GraphOutside
  readonly #bus: WakeBus
  readonly #answers: HttpAnswers
  #unsubscribe: () => void = () => {}

  constructor(options: OutsideWorkOptions) {
    const { store, clock, random, logger, bus, sandbox, start, cancel, onStimulus, results } = options
    this.#bus = bus
    this.#answers = new HttpAnswers(store.triggers, clock)
    const onOpened = (): void => bus.publish(TASK_TOPIC)
    this.tasks = new Tasks({ tasks: store.tasks, clock, results, onStimulus, onOpened })
    this.humanTasks = new HumanTasks({ humanTasks: store.humanTasks, onStimulus })
    this.resumeTokens = new ResumeTokens({
      ...{ humanTasks: store.humanTasks, stimuli: store.stimuli, people: this.humanTasks, random, onStimulus },
    })
    this.http = new HttpTriggers({ triggers: store.triggers, answers: this.#answers, start })
    this.events = new EventTriggers({ triggers: store.triggers, sandbox, logger: logger.area('trigger'), start })
    this.graphs = {
      openTask: (task) => this.tasks.open(task),
      openHumanTask: (task) => store.humanTasks.open(task),
      cancelInstance: async (tenant, id, how) =>
        (await cancel(tenant, id, how)) || (await store.instances.statuses(tenant, [id])).has(id),
      journal: (tenant, id, after, limit) => store.instances.journal(tenant, id, after, limit),
      answered: (instanceId) => {
        this.#answers.tell(instanceId)
        bus.publish(`${ANSWER_TOPIC}${instanceId}`)
      },
    }
  }

  run(): void {
    this.#unsubscribe = this.#bus.subscribe((topic) => {
      if (topic === TASK_TOPIC) this.tasks.openedElsewhere()
      else if (topic.startsWith(ANSWER_TOPIC)) this.#answers.tell(topic.slice(ANSWER_TOPIC.length))
    })
  }

  stop(): void {
    this.#unsubscribe()
    this.tasks.stop()
  }

  /** An instance has ended here. */
  ended(instanceId: string): void {
    this.#answers.tell(instanceId)
  }
}
