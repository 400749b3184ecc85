/**
 * What `fast-check` is to the tests: the same cases in every run, so that a red run is about the change and not about its luck.
 * `LOCKSTEP_TEST_SEED=<number>` draws others; campaigns set it to something new each time.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js'

fc.configureGlobal({ seed: Number(process.env.LOCKSTEP_TEST_SEED ?? 20_261_116) })

export * from '../../node_modules/fast-check/lib/fast-check.js'
// biome-ignore lint/style/noDefaultExport: it stands in for a module that has one
export default fc
