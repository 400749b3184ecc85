export const INSTANCE_STATUSES = [
  'queued',
  'running',
  'suspended',
  'paused',
  'compensating',
  'completed',
  'faulted',
  'cancelled',
  'terminated',
  'quarantined',
] as const

export type InstanceStatus = (typeof INSTANCE_STATUSES)[number]
