import { defineError } from '@lockstep/base'
import type { GraphProblem } from '../graph/graph-problem.ts'

export const DefinitionNotFound = defineError(
  'DEFINITION_NOT_FOUND',
  { retryable: false },
  (d: { definitionId: string; version?: number }) =>
    d.version === undefined
      ? `No published workflow "${d.definitionId}" exists. Create it and publish it first`
      : `Workflow "${d.definitionId}" has no version ${d.version}`,
)

export const DefinitionExists = defineError(
  'DEFINITION_EXISTS',
  { retryable: false },
  (d: { definitionId: string }) => `A workflow "${d.definitionId}" exists already. Save its draft instead`,
)

export const DefinitionInvalid = defineError(
  'DEFINITION_INVALID',
  { retryable: false },
  (d: { definitionId: string; problems: readonly GraphProblem[] }) =>
    `Workflow "${d.definitionId}" has ${d.problems.length} problem(s): ${d.problems
      .slice(0, 3)
      .map((problem) => `${problem.pointer || '/'} ${problem.text}`)
      .join('; ')}`,
)

export const DefinitionIsCode = defineError(
  'DEFINITION_IS_CODE',
  { retryable: false },
  (d: { definitionId: string }) =>
    `Workflow "${d.definitionId}" is written as a function: it has no draft, its versions come with the code`,
)

export const DraftChanged = defineError(
  'DRAFT_CHANGED',
  { retryable: false },
  (d: { definitionId: string; revision: number; updatedBy?: string | undefined }) =>
    `The draft of "${d.definitionId}" was changed meanwhile (it is at revision ${d.revision}${d.updatedBy === undefined ? '' : `, saved by ${d.updatedBy}`}). Read it again and repeat the change`,
)

export const WorkflowNotRegistered = defineError(
  'WORKFLOW_NOT_REGISTERED',
  { retryable: true },
  (d: { definitionId: string; version: number }) =>
    `This node has no code for workflow "${d.definitionId}" version ${d.version}. Pass it to lockstep({ workflows: [...] })`,
)

export const InputInvalid = defineError(
  'INPUT_INVALID',
  { retryable: false },
  (d: { definitionId: string; problems: readonly { readonly pointer: string; readonly text: string }[] }) =>
    `The input of "${d.definitionId}" does not fit its schema: ${d.problems.map((each) => `${each.pointer || '/'} ${each.text}`).join('; ')}`,
)

export const InstanceNotFound = defineError(
  'INSTANCE_NOT_FOUND',
  { retryable: false },
  (d: { instanceId: string }) => `No instance ${d.instanceId} exists`,
)

export const BookmarkAmbiguous = defineError(
  'BOOKMARK_AMBIGUOUS',
  { retryable: false },
  (d: { instanceId: string; names: readonly string[] }) =>
    `Instance ${d.instanceId} waits at several bookmarks (${d.names.join(', ')}): name one`,
)
