import { defineError } from '@lockstep/base'

export const JobCycle = defineError(
  'JOB_CYCLE',
  { retryable: false },
  (d: { circle: readonly string[] }) =>
    `Jobs wait for one another in a circle: ${d.circle.join(' → ')}. Take one of these dependencies away`,
)

export const JobUnknown = defineError(
  'JOB_UNKNOWN',
  { retryable: false },
  (d: { job: string; parent: string }) =>
    `Job "${d.job}" runs after "${d.parent}", which no node has registered. Pass it to jobs: [...] as well, or mend its name`,
)
