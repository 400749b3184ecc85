/** SQLSTATE that our functions raise when the node row is gone or doomed: nothing was written. */
export const FENCED = 'LS001'
