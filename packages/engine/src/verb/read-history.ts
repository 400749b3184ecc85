import type { InstanceReader, InstanceView, JournalRow } from '../store/instance-reader.ts'

const PAGE = 5_000

/** An instance with the whole of its journal. */
export interface History {
  readonly view: InstanceView
  readonly facts: readonly JournalRow[]
}

export async function readHistory(
  instances: Pick<InstanceReader, 'get' | 'journal'>,
  tenant: string,
  instanceId: string,
): Promise<History | undefined> {
  const view = await instances.get(tenant, instanceId)
  return view && { view, facts: await readFacts(instances, tenant, instanceId) }
}

export async function readFacts(
  instances: Pick<InstanceReader, 'journal'>,
  tenant: string,
  instanceId: string,
): Promise<JournalRow[]> {
  const facts: JournalRow[] = []
  for (;;) {
    const page = await instances.journal(tenant, instanceId, facts.at(-1)?.seq ?? 0, PAGE)
    facts.push(...page)
    if (page.length < PAGE) return facts
  }
}
