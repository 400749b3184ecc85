import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Seconds that files take on two cores, of those that take long. One that begins last is waited for by the whole run, and what its size says of that is
 * little: some are a few lines around others. Where a file is not named, the size of a file decides as always.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'tests/studio/designer.test.ts': 200,
  'tests/studio/operations.test.ts': 200,
  'tests/studio/states.test.ts': 120,
  'tests/simulation/simulation.test.ts': 120,
  'tests/studio/shell.test.ts': 130,
  'tests/studio/cluster.test.ts': 120,
  'tests/studio/schedules.test.ts': 110,
  'tests/docs/toolkit.test.ts': 100,
  'tests/faults/verbs.test.ts': 100,
  'tests/studio/instances.test.ts': 95,
  'tests/start/server-command.test.ts': 95,
  'tests/studio/dev-cluster.test.ts': 90,
  'tests/faults/crash-boundaries.test.ts': 90,
  'tests/faults/saga-boundaries.test.ts': 90,
  'tests/cluster/checklist.test.ts': 90,
  'packages/postgres/test/coordination/primitive-contracts.test.ts': 85,
  'tests/coordination/redis-faults.test.ts': 80,
  'packages/redis/test/primitive-contracts.test.ts': 60,
  'packages/postgres/test/engine/store-contract.test.ts': 50,
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification): number =>
      SECONDS[moduleId.slice(project.vitest.config.root.length + 1)] ?? 0
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a))
  }
}
