/** The grammar alone, for programs that only write filters: it brings nothing of the server with it. */
export { INSTANCE_FILTER_NAMES } from './filter-names.ts'
export { InvalidFilter, readFilterText } from './filter-text.ts'
