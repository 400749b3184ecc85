/** Cores that others may use before a measurement counts as disturbed. What a host takes from a shared machine counts among them. */
const QUIET_CORES = 0.12
const MOST_TRIES = 3

/**
 * Measures again, a few times, while others use the machine, and answers the attempt that they disturbed least. Only their share of the processor decides,
 * never what was measured, and each attempt goes into the results.
 */
export async function leastDisturbed(measure) {
  let best
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const measured = await measure(attempt)
    if (best === undefined || measured.foreignCores < best.foreignCores) best = measured
    if (!(best.foreignCores > QUIET_CORES)) break
  }
  return best
}
