import type { StartOptions } from '../../src/harness/index.ts'

/** The harness is tested on servers of its own, also where the environment names external ones for everybody else. */
export const own: StartOptions = { quiet: true, env: { PATH: process.env.PATH } }
