import { connect } from 'node:net'

const ANSWER_WITHIN_MS = 2_000

/**
 * Sends `question` to a loopback port and gathers the answer until `complete` says so.
 * `undefined`: refused, closed or silent for two seconds.
 */
export function askPort(
  port: number,
  question: Uint8Array | string,
  complete: (answer: Buffer) => boolean,
  host = '127.0.0.1',
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let answer: Buffer = Buffer.alloc(0)
    const socket = connect({ port, host })
    const settle = (result: Buffer | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => settle(undefined), ANSWER_WITHIN_MS)
    socket.on('error', () => settle(undefined))
    socket.on('close', () => settle(undefined))
    socket.on('connect', () => {
      if (complete(answer)) settle(answer)
      else socket.write(question)
    })
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk])
      if (complete(answer)) settle(answer)
    })
  })
}

/** Whether anything listens there. */
export async function accepts(port: number, host?: string): Promise<boolean> {
  return (await askPort(port, '', () => true, host)) !== undefined
}
