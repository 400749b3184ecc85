/** The zone of this browser: the only file that reads it. */
export const hostZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Minutes east of UTC at a moment. */
export const hostOffset = (ms: number): number => -new Date(ms).getTimezoneOffset()
