import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Modules as the product itself finds them, so that bare limits are measured with the very same drivers. */
const ofProduct = createRequire(fileURLToPath(import.meta.resolve('@lockstep/postgres')))

export const pg = ofProduct('pg')

export const loadPglite = () => import(ofProduct.resolve('@electric-sql/pglite'))
