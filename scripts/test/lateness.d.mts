export function isLate(error: unknown): boolean
