/** A question to the person at the keyboard. Ctrl-C and Ctrl-D are answers too. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

export type Answer =
  | { readonly status: 'answered'; readonly text: string }
  /** Ctrl-C: whoever asks shall stop. */
  | { readonly status: 'interrupted' }
  /** Ctrl-D: there is no answer. */
  | { readonly status: 'closed' }

export interface Asked {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly question: string
  /** What is typed does not show. */
  readonly hidden?: boolean
}

export function ask({ input, output, question, hidden = false }: Asked): Promise<Answer> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const asking = createInterface({ input, output: hidden ? nowhere : output, terminal: true })
  // Only now: what is typed before the interface listens would still show.
  if (hidden) output.write(question)
  return new Promise<Answer>((resolve) => {
    const end = (answer: Answer): void => {
      // An answer has ended its line itself, where it shows.
      if (hidden || answer.status !== 'answered') output.write('\n')
      asking.removeAllListeners('close')
      asking.close()
      resolve(answer)
    }
    asking.once('SIGINT', () => end({ status: 'interrupted' }))
    asking.once('close', () => end({ status: 'closed' }))
    asking.question(hidden ? '' : question, (text) => end({ status: 'answered', text }))
  })
}
