import { InvalidOption, isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { Static, TObject, TSchema, TUnknown } from 'typebox'
import { compileSchema, schemaFault } from '../graph/json-schema.ts'
import { WorkflowFault } from '../step/workflow-fault.ts'
import type {
  ActivityContext,
  CompletedResult,
  EffectActivity,
  TransactionalActivity,
  TransactionContext,
} from './activity-handler.ts'

/** What the code of an activity gives back. `outcome` may be left out where there is one called `done`, or only one. */
export type ActivityAnswer<Output extends TSchema, Outcome extends string> = {
  readonly outcome?: NoInfer<Outcome>
  /** Sets variables of the workflow. */
  readonly assign?: JsonObject
} & (unknown extends Static<Output> ? { readonly output?: unknown } : { readonly output: Static<Output> })

interface Description<Inputs extends TObject, Output extends TSchema, Outcome extends string> {
  /** Kebab-case name that documents use. */
  readonly type: string
  readonly title: string
  /** One sentence. */
  readonly description: string
  /** Group of the palette. @default 'Own' */
  readonly category?: string
  /** Name of an icon, or an SVG image as `data:image/svg+xml;base64,…`. */
  readonly icon?: string
  /** More than a sentence, as Markdown. */
  readonly docs?: string
  readonly inputs: Inputs
  readonly outputs?: Output
  /** @default ['done'] */
  readonly outcomes?: readonly Outcome[]
}

type Answered<Output extends TSchema, Outcome extends string> =
  | Promise<ActivityAnswer<Output, Outcome>>
  | ActivityAnswer<Output, Outcome>

export interface EffectDefinition<Inputs extends TObject, Output extends TSchema, Outcome extends string>
  extends Description<Inputs, Output, Outcome> {
  /** `effect` does something outside; `transaction` changes the engine's own database, in one commit with the step. @default 'effect' */
  readonly runs?: 'effect'
  run(inputs: Static<Inputs>, context: ActivityContext): Answered<Output, Outcome>
}

export interface TransactionDefinition<Inputs extends TObject, Output extends TSchema, Outcome extends string>
  extends Description<Inputs, Output, Outcome> {
  readonly runs: 'transaction'
  run(inputs: Static<Inputs>, context: TransactionContext): Answered<Output, Outcome>
}

/** Makes an activity whose code sees its inputs typed, and whose outcomes and output are checked. It is in the palette by itself. */
export function defineActivity<
  const Inputs extends TObject,
  const Output extends TSchema = TUnknown,
  const Outcome extends string = 'done',
>(definition: TransactionDefinition<Inputs, Output, Outcome>): TransactionalActivity
export function defineActivity<
  const Inputs extends TObject,
  const Output extends TSchema = TUnknown,
  const Outcome extends string = 'done',
>(definition: EffectDefinition<Inputs, Output, Outcome>): EffectActivity
export function defineActivity(definition: AnyDefinition): EffectActivity | TransactionalActivity {
  checkDefinition(definition)
  const { type, title, description, category = 'Own', icon, docs, inputs, outputs, run } = definition
  const outcomes = definition.outcomes ?? ['done']
  const output = outputs === undefined ? undefined : plain(outputs)
  const settle = settler(type, outcomes, output)
  const common = {
    ...{ type, title, description, category, outcomes, kind: 'action' as const },
    inputs: { additionalProperties: false, ...plain(inputs) },
    ...(icon === undefined ? {} : { icon }),
    ...(docs === undefined ? {} : { docs }),
    ...(output === undefined ? {} : { output }),
  }
  const perform = async (given: JsonObject, context: never): Promise<CompletedResult> =>
    settle(await run(given, context))
  return definition.runs === 'transaction'
    ? { ...common, runs: 'transaction', run: perform }
    : { ...common, runs: 'effect', run: perform }
}

interface AnyDefinition extends Description<TObject, TSchema, string> {
  readonly runs?: 'effect' | 'transaction'
  run(inputs: JsonObject, context: never): unknown
}

/** What the code gave back, as a result; a promise of the definition that it breaks is a failure that says so. */
function settler(type: string, outcomes: readonly string[], output: JsonObject | undefined) {
  const validate = output === undefined ? undefined : compileSchema(output)
  const usual = outcomes.includes('done') ? 'done' : outcomes.length === 1 ? outcomes[0] : undefined
  const fail = (message: string): never => {
    throw new WorkflowFault({ message: `Activity "${type}" ${message}`, faultCode: 'INVALID_RESULT' })
  }
  return (answer: unknown): CompletedResult => {
    if (!isJsonObject(answer ?? {})) fail('must give back an object such as { output, outcome }')
    const given = (answer ?? {}) as { outcome?: unknown; output?: unknown; assign?: JsonObject }
    const strange = Object.keys(given).find((key) => !['outcome', 'output', 'assign'].includes(key))
    if (strange !== undefined) fail(`gave back "${strange}": put it into "output"`)
    const outcome = given.outcome ?? usual
    if (typeof outcome !== 'string' || !outcomes.includes(outcome))
      return fail(`left through outcome ${JSON.stringify(outcome ?? null)}, which is none of ${outcomes.join(', ')}`)
    if (validate !== undefined && !validate(given.output ?? null)) {
      const [problem] = validate.errors ?? []
      fail(`gave back an output that does not fit: "${problem?.instancePath || '/'}" ${problem?.message ?? ''}`)
    }
    return {
      kind: 'completed',
      outcome,
      ...(given.output === undefined ? {} : { output: given.output as Json }),
      ...(given.assign === undefined ? {} : { assign: given.assign }),
    }
  }
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const OUTCOME = /^[\w][\w -]{0,99}$/
const IMAGE = /^data:image\/svg\+xml;base64,[A-Za-z0-9+/]+=*$/
const LONGEST_ICON = 16_384

function checkDefinition(definition: AnyDefinition): void {
  const { type, title, description, icon, inputs, outputs, outcomes = ['done'] } = definition
  const require = (holds: boolean, field: string, rule: string, value?: unknown): void => {
    if (!holds) throw new InvalidOption({ option: `activity ${JSON.stringify(type)}: ${field}`, rule, value })
  }
  require(typeof type === 'string' &&
    NAME.test(type) &&
    type.length <= 100, 'type', 'kebab-case of at most 100 characters', type)
  require(typeof title === 'string' && title.trim() !== '', 'title', 'a text for the palette')
  require(typeof description === 'string' && description.trim() !== '', 'description', 'a sentence on what it does')
  require(typeof definition.run === 'function', 'run', 'a function')
  require(icon === undefined ||
    (icon.length <= LONGEST_ICON &&
      (NAME.test(icon) ||
        IMAGE.test(
          icon,
        ))), 'icon', `the name of an icon or data:image/svg+xml;base64,… of at most ${LONGEST_ICON} characters`)
  require(isJsonObject(inputs) && (inputs as JsonObject).type === 'object', 'inputs', 'a schema made with Type.Object')
  const isList = Array.isArray(outcomes) && outcomes.length > 0
  require(isList &&
    outcomes.every(
      (each) => OUTCOME.test(each) && each !== 'failed',
    ), 'outcomes', 'a list of names; "failed" is taken by steps that fail')
  require(new Set(outcomes).size === outcomes.length, 'outcomes', 'a list in which each name stands once')
  for (const [field, schema] of Object.entries({ inputs, outputs })) {
    const fault = schema === undefined ? undefined : schemaFault(plain(schema))
    require(fault === undefined, field, `a JSON schema (${fault})`)
  }
}

/** Without the markers that the schema library hides in its objects. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject
}
