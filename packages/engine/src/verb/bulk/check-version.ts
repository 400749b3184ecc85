import { InvalidOption } from '@lockstep/base'
import type { DefinitionStore } from '../../store/definition-store.ts'
import { LATEST_VERSION } from './bulk-options.ts'

const READS_AT_ONCE = 20

/** Each of these workflows must have the version that a bulk operation brings its instances to. Reads no documents. */
export async function checkVersion(
  definitions: Pick<DefinitionStore, 'versions'>,
  { tenant, version, definitionIds }: { tenant: string; version: number; definitionIds: readonly string[] },
): Promise<void> {
  const before = version < LATEST_VERSION ? version + 1 : undefined
  for (let from = 0; from < definitionIds.length; from += READS_AT_ONCE) {
    const some = definitionIds.slice(from, from + READS_AT_ONCE)
    const found = await Promise.all(some.map((id) => definitions.versions(tenant, id, before, 1)))
    const lacking = some.find((_, index) => found[index]![0]?.version !== version)
    if (lacking !== undefined)
      throw new InvalidOption({
        option: 'options.version',
        rule: `a version of every workflow that it is about: "${lacking}" has no version ${version}`,
      })
  }
}
