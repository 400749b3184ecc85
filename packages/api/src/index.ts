export type {
  CallOptions,
  ClientExtras,
  ItemOf,
  ListName,
  LockstepClient,
  OperationMethods,
  OperationName,
  ReplyBody,
} from './client.ts'
export { lockstepClient } from './client.ts'
export * from './errors.ts'
export { InvalidFilter, readFilterText } from './filter/filter-text.ts'
export type { FollowOptions, LiveEvent } from './follow.ts'
export * from './operations.generated.ts'
export type { ClientOptions, Method, Query, Reply, Transport, Wanted } from './transport.ts'
export { notOurs } from './transport.ts'
