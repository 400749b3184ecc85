import { statement } from './statement.ts'

/** Asks for a sign of life. */
export const ping = statement('ping', () => [], 'select 1', { readOnly: true })
