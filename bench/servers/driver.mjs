import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Modules as the product itself finds them, so that bare limits are measured with the very same ones. */
const requireAs = (name) => createRequire(fileURLToPath(import.meta.resolve(name)))
const ofStore = requireAs('@lockstep/postgres')

export const pg = ofStore('pg')

export const loadPglite = () => import(ofStore.resolve('@electric-sql/pglite'))

/** Read when it is asked for: engines that serve nothing do not load it. */
export const loadFastify = () => requireAs('@lockstep/server')('fastify')
