import type { StepKey } from '../journal/fact.ts'
import { InvalidPart } from './errors.ts'
import type { AttemptParts } from './part-writer.ts'

/** What code sees of the parts of its attempt. */
export type HandedOut = Pick<AttemptParts, 'emit' | 'emitted'>

/** Costs nothing while the code hands out nothing. */
export function lazyParts(open: () => AttemptParts): AttemptParts {
  let opened: AttemptParts | undefined
  const parts = (): AttemptParts => {
    opened ??= open()
    return opened
  }
  return {
    emit: (value, number) => parts().emit(value, number),
    emitted: () => parts().emitted(),
    settled: async () => opened?.settled(),
  }
}

/** Runs code that may hand out parts: it has ended well when all of them are durable. */
export async function withParts<T>(parts: AttemptParts, run: () => Promise<T>): Promise<T> {
  try {
    const value = await run()
    await parts.settled()
    return value
  } catch (error) {
    void parts.settled().catch(() => undefined) // nothing more is taken from it
    throw error
  }
}

/** Of code whose result is one commit, or is there at once. */
export function noParts(step: StepKey): HandedOut {
  return {
    emit: async (_, number = 1) => {
      throw new InvalidPart({ step, number, rule: 'this step has no parts, only an end' })
    },
    emitted: async () => 0,
  }
}
