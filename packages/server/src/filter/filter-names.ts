/** What may stand before the operator in a filter of instances; a name that ends with a dot begins many. */
export const INSTANCE_FILTER_NAMES: readonly string[] = [
  'status',
  'definition',
  'version',
  'correlation',
  'parent',
  'createdAt',
  'finishedAt',
  'input.',
]
