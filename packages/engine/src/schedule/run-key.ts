/**
 * Keys of runs that no occurrence stands for. Those of occurrences are `<schedule>@<instant>`; no instant begins with a letter,
 * so the kinds cannot meet.
 */
export const requestKey = (scheduleId: string, key: string): string => `${scheduleId}@request:${key}`

export const roundKey = (scheduleId: string, round: string): string => `${scheduleId}@after:${round}`

/** Lines about what did not fire have keys of their own: an occurrence that was skipped may be filled in later. */
export const skipKey = (scheduleId: string, reason: string, firstAt: number): string =>
  `${scheduleId}@skipped:${reason}:${new Date(firstAt).toISOString()}`
