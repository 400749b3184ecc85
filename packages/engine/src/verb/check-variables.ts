import { InvalidOption, type Json, toJson } from '@lockstep/base'
import { fits } from '../graph/checks/check-variables.ts'
import type { GraphDocument } from '../graph/document.ts'
import { ownMember } from '../graph/own-member.ts'
import type { VerbContext } from './verb-context.ts'

/** New values for variables of a graph: declared, and of their types. A function has none. */
export async function checkVariables(
  { definitions }: Pick<VerbContext, 'definitions'>,
  {
    tenant,
    definitionId,
    version,
  }: { readonly tenant: string; readonly definitionId: string; readonly version: number },
  variables: Readonly<Record<string, unknown>>,
): Promise<Record<string, Json>> {
  const found = await definitions.version(tenant, definitionId, version)
  if (found?.kind === 'function')
    throw new InvalidOption({ option: 'variables', rule: 'only of graphs: what a function holds is in its code' })
  const declared = (found?.document as GraphDocument | undefined)?.variables ?? {}
  const values: Record<string, Json> = {}
  for (const [name, value] of Object.entries(variables)) {
    const option = `variables.${name}`
    const variable = ownMember(declared, name)
    if (variable === undefined) {
      const known = Object.keys(declared).join(', ') || 'none'
      throw new InvalidOption({ option, rule: `one that version ${version} declares: ${known}` })
    }
    const json = toJson(value)
    if (json !== null && !fits(variable, json))
      throw new InvalidOption({ option, rule: `a value of type ${variable.type}, or null`, value: json })
    values[name] = json
  }
  if (Object.keys(values).length === 0) throw new InvalidOption({ option: 'variables', rule: 'at least one' })
  return values
}
