/** A policy ready to be asked about an input: what is shared, and with whom. */
import { errorMessage, isJsonObject, type Json } from '@lockstep/base'
import { type CompiledExpression, compileExpression, evaluateExpression } from '../expression/expression.ts'
import type { Sandbox } from '../expression/sandbox.ts'
import { FlowKeyFailed } from './errors.ts'
import {
  DECLARED,
  type FlowPolicy,
  HIGHEST_PRIORITY,
  KEYED_MEMBERS,
  type KeyedMember,
  LONGEST_KEY,
  LOWEST_PRIORITY,
} from './flow-policy.ts'
import type { ControlledStart } from './flow-store.ts'

type Evaluate = (input: Json) => unknown

export interface CompiledPolicy {
  readonly revision: number
  /** Rejects with FLOW_KEY_FAILED. A priority that the start brings counts more than the policy's. */
  place(input: Json, priority: number | undefined): Promise<Pick<ControlledStart, 'keys' | 'priority'>>
}

export interface PolicySource {
  readonly definitionId: string
  readonly revision: number
  /** Parsed JSON of the policy in force. */
  readonly policy: unknown
  /** What the code declares: the functions that the policy may name. */
  readonly code: FlowPolicy<never> | undefined
  readonly sandbox: Sandbox
}

export function compilePolicy({ definitionId, revision, policy, code, sandbox }: PolicySource): CompiledPolicy {
  const members = isJsonObject(policy) ? policy : {}
  const fail = (member: string, reason: string, cause?: unknown): never => {
    throw new FlowKeyFailed({ definitionId, member, reason }, { cause })
  }
  const compile = (value: Json | undefined, own: unknown, member: string): Evaluate | undefined => {
    if (value === undefined) return undefined
    if (value === DECLARED) {
      // A node with other code: another one can compute it, this one must not guess.
      return typeof own === 'function'
        ? (own as Evaluate)
        : () => fail(member, 'the code of this node declares no function for it')
    }
    const source = isJsonObject(value) ? value.$expr : undefined
    if (typeof source !== 'string') return () => value
    let compiled: CompiledExpression | undefined
    return (input) => {
      compiled ??= compileExpression(source)
      return evaluateExpression(compiled, { input, vars: {}, steps: {} }, sandbox)
    }
  }
  const keys = new Map<KeyedMember, Evaluate>()
  for (const name of KEYED_MEMBERS) {
    const member = members[name]
    const evaluate = compile(isJsonObject(member) ? member.key : undefined, code?.[name]?.key, `${name}.key`)
    if (evaluate !== undefined) keys.set(name, evaluate)
  }
  const priorityOf = compile(members.priority, code?.priority, 'priority')

  const run = async (evaluate: Evaluate, input: Json, member: string): Promise<unknown> => {
    try {
      return await evaluate(input)
    } catch (error) {
      if (FlowKeyFailed.is(error)) throw error
      return fail(member, errorMessage(error), error)
    }
  }
  const keyOf = async (name: KeyedMember, input: Json): Promise<string> => {
    const evaluate = keys.get(name)
    if (evaluate === undefined) return ''
    const value = await run(evaluate, input, `${name}.key`)
    return toKey(value, (reason) => fail(`${name}.key`, reason))
  }
  return {
    revision,
    async place(input, priority) {
      const gathers = (['debounce', 'batch'] as const).find((name) => members[name] !== undefined)
      const [singleton, concurrency, rate, throttle] = await Promise.all(
        (['singleton', 'concurrency', 'rate', 'throttle'] as const).map((name) => keyOf(name, input)),
      )
      const own = priority ?? (priorityOf === undefined ? LOWEST_PRIORITY : await run(priorityOf, input, 'priority'))
      return {
        keys: {
          singleton: singleton!,
          concurrency: concurrency!,
          rate: rate!,
          throttle: throttle!,
          gather: gathers === undefined ? undefined : await keyOf(gathers, input),
        },
        priority: isPriority(own)
          ? own
          : fail('priority', `it is ${JSON.stringify(own)}, not a whole number from 0 to 9`),
      }
    },
  }
}

export function isPriority(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= LOWEST_PRIORITY && value <= HIGHEST_PRIORITY
}

/** Numbers and truth values have one text each; anything else has too many. */
function toKey(value: unknown, fail: (reason: string) => never): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return fail(`it is ${value === null || value === undefined ? 'empty' : 'no text, number or truth value'}`)
  const key = String(value)
  if (key.length > LONGEST_KEY) return fail(`it is longer than ${LONGEST_KEY} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the store cannot hold, or uses itself
  if (/[\u0000\u0001]/.test(key)) return fail('it has a control character')
  return key
}
