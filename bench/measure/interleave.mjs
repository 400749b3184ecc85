import { setTimeout as delay } from 'node:timers/promises'

/** Long enough for what one competitor left behind (acknowledgements, vacuum wake-ups) to calm down. */
const PAUSE_MS = 200

/**
 * Measures competitors in turn, round after round (A B C, C B A, A B C), so that whatever disturbs the machine for a
 * while disturbs all of them alike. Answers each name's measurements in the order of the rounds.
 */
export async function interleave(rounds, competitors, measure) {
  const answers = new Map([...competitors.keys()].map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    const order = [...competitors]
    if (round % 2 === 1) order.reverse()
    for (const [name, competitor] of order) {
      await delay(PAUSE_MS)
      answers.get(name).push(await measure(competitor, name, round))
    }
  }
  return answers
}
