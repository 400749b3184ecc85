export * from './coordination/index.ts'
export * from './engine-store/fixture.ts'
export type { ModelRunOptions } from './engine-store/model-examples.ts'
export { engineStoreContract } from './engine-store-contract.ts'
