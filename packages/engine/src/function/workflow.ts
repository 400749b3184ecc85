import { InvalidOption } from '@lockstep/base'
import { isTag, MOST_TAGS } from '../definition/tags.ts'
import { FlowPolicyInvalid } from '../flow/errors.ts'
import { type FlowPolicy, toFlowJson } from '../flow/flow-policy.ts'
import { validateFlowPolicy } from '../flow/validate-flow-policy.ts'
import type { FunctionWorkflow, WorkflowContext } from './workflow-context.ts'

export interface WorkflowOptions<Input = unknown> {
  /** Raise it when a change of the code cannot follow the journals of running instances. @default 1 */
  readonly version?: number
  /** How its starts are held back. What is set at run time goes before it. */
  readonly flow?: FlowPolicy<Input>
  /** What it is found and filtered by: at most 20, each of 1 to 40 letters, digits and - _ . : / */
  readonly tags?: readonly string[]
}

const ID = /^[a-z0-9][a-z0-9._-]{0,99}$/

/**
 * Declares a durable workflow. The function may run again from its start after a move to another node: between steps it must
 * do the same things in the same order, and touch the outside only inside `ctx.step`.
 */
export function workflow<Input, Output>(
  id: string,
  run: (context: WorkflowContext, input: Input) => Promise<Output>,
  options: WorkflowOptions<Input> = {},
): FunctionWorkflow<Input, Output> {
  const { version = 1, flow, tags = [] } = options
  if (!ID.test(id)) throw new InvalidOption({ option: 'id', rule: 'a slug such as order-approval', value: id })
  if (!Number.isInteger(version) || version < 1)
    throw new InvalidOption({ option: 'version', rule: 'a whole number from 1', value: version })
  if (!Array.isArray(tags) || tags.length > MOST_TAGS || !tags.every(isTag))
    throw new InvalidOption({
      option: 'tags',
      rule: `at most ${MOST_TAGS}, each of 1 to 40 letters, digits and - _ . : /`,
      value: tags,
    })
  const problems = flow === undefined ? [] : validateFlowPolicy(toFlowJson(flow), flow)
  if (problems.length > 0) throw new FlowPolicyInvalid({ definitionId: id, problems })
  return { kind: 'function', id, version, flow, tags: [...new Set(tags)], run }
}
