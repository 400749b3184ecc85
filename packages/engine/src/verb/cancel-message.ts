import type { CancelOptions } from '../worker/graph/graph-outside.ts'

/** What the inbox of an instance keeps of a cancel. A second one, while the first is not done, is the same. */
export const cancelMessage = ({ reason, compensate = true }: CancelOptions) => ({
  kind: 'cancel',
  payload: JSON.stringify({ ...(reason !== undefined && { reason }), ...(!compensate && { compensate }) }),
  dedupeKey: 'cancel',
})
