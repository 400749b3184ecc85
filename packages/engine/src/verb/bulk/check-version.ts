import { InvalidOption } from '@lockstep/base'
import type { DefinitionStore } from '../../store/definition-store.ts'

/** Each of these workflows must have the version that a bulk operation brings its instances to. */
export async function checkVersion(
  definitions: Pick<DefinitionStore, 'version'>,
  { tenant, version, definitionIds }: { tenant: string; version: number; definitionIds: readonly string[] },
): Promise<void> {
  for (const definitionId of definitionIds)
    if ((await definitions.version(tenant, definitionId, version)) === undefined)
      throw new InvalidOption({
        option: 'options.version',
        rule: `a version of every workflow that it is about: "${definitionId}" has no version ${version}`,
      })
}
