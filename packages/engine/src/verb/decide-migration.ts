/** Whether an instance can go on as another version of its definition, and what it is then. Reads, and changes nothing. */
import type { Json } from '@lockstep/base'
import { WorkflowNotRegistered } from '../definition/errors.ts'
import type { Program, Programs } from '../definition/programs.ts'
import type { FunctionShell } from '../function/function-execution.ts'
import { fits } from '../graph/checks/check-variables.ts'
import type { GraphDocument } from '../graph/document.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import type { GraphState } from '../graph/graph-state.ts'
import { checkMapping, checkMigration } from '../graph/migrate/check-migration.ts'
import { migrateState, renamedSteps } from '../graph/migrate/migrate-state.ts'
import type { MigrationProblem } from '../graph/migrate/migration-problem.ts'
import type { ActivityMapping } from '../graph/migrate/rename-steps.ts'
import { ownMember } from '../graph/own-member.ts'
import type { StepKey } from '../journal/fact.ts'
import type { LoadedInstance } from '../store/agenda-store.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import { tryReplay } from './try-replay.ts'

export interface MigrationContext {
  readonly programs: Pick<Programs, 'get'>
  readonly definitions: Pick<DefinitionStore, 'version'>
  readonly functionShell: () => FunctionShell
}

export type MigrationDecision =
  | {
      readonly kind: 'possible'
      /** Graphs: the instance in terms of the new version. */
      readonly state?: Json
      readonly renames: readonly { readonly from: StepKey; readonly to: StepKey }[]
    }
  | { readonly kind: 'impossible'; readonly problems: readonly MigrationProblem[] }
  /** This node has no code for the new version. */
  | { readonly kind: 'elsewhere' }

export async function decideMigration(
  context: MigrationContext,
  loaded: LoadedInstance,
  to: number,
  mapping: ActivityMapping,
): Promise<MigrationDecision> {
  const { tenant, definitionId, version } = loaded
  const target = await programOf(context.programs, tenant, definitionId, to)
  if (target === undefined) return { kind: 'elsewhere' }
  if (target.kind === 'function') {
    const found = await tryReplay(target.workflow, context.functionShell(), loaded, loaded.facts)
    return found === undefined ? { kind: 'possible', renames: [] } : { kind: 'impossible', problems: [found] }
  }
  const source = await context.programs.get(tenant, definitionId, version)
  if (source.kind !== 'graph')
    return impossible('OTHER_KIND', definitionId, 'One version is a graph, the other a function')
  const snapshot = loaded.snapshotAt === undefined ? undefined : { state: loaded.snapshot, at: loaded.snapshotAt }
  const state = foldJournal(source.graph, snapshot, loaded.facts)
  const problems = [
    ...checkMapping(source.graph, target.graph, mapping),
    ...checkMigration(source.graph, target.graph, state, mapping),
    ...(await checkTypes(context, loaded, to, state)),
  ]
  if (problems.length > 0) return { kind: 'impossible', problems }
  const next = migrateState(source.graph, target.graph, state, mapping)
  return {
    kind: 'possible',
    state: JSON.parse(JSON.stringify({ ...next, ready: [], cancelled: [] })),
    renames: renamedSteps(state, mapping),
  }
}

async function programOf(
  programs: MigrationContext['programs'],
  tenant: string,
  definitionId: string,
  version: number,
): Promise<Program | undefined> {
  try {
    return await programs.get(tenant, definitionId, version)
  } catch (error) {
    if (WorkflowNotRegistered.is(error)) return undefined
    throw error
  }
}

/** What its variables hold must be of the type that the new version declares. */
async function checkTypes(
  { definitions }: MigrationContext,
  { tenant, definitionId }: LoadedInstance,
  to: number,
  state: GraphState,
): Promise<MigrationProblem[]> {
  const document = (await definitions.version(tenant, definitionId, to))?.document as GraphDocument | undefined
  return Object.entries(document?.variables ?? {}).flatMap(([name, variable]) => {
    const value = ownMember(state.variables, name)
    if (value === undefined || value === null || fits(variable, value)) return []
    const text = `The new version declares "${name}" as ${variable.type}, and it holds something else: edit the variable first`
    return [{ code: 'WRONG_VARIABLE_TYPE', at: name, text } as const]
  })
}

const impossible = (code: MigrationProblem['code'], at: string, text: string): MigrationDecision => ({
  kind: 'impossible',
  problems: [{ code, at, text }],
})
