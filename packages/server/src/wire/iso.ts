export const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())
