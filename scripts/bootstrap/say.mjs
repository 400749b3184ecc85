import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

/** One line of progress. Standard error, so that what a program prints stays clean. */
export function say(text) {
  process.stderr.write(`lockstep: ${text}\n`)
}

export function fail(text) {
  process.stderr.write(`lockstep: ${text}\n`)
  process.exit(1)
}

/** Rewrites one line on a terminal; elsewhere prints at most every ten seconds. */
export function progressLine() {
  let printedAt = 0
  return {
    show(text) {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2Klockstep: ${text}`)
      else if (Date.now() - printedAt > 10_000) {
        printedAt = Date.now()
        say(text)
      }
    },
    clear() {
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
    },
  }
}

export const seconds = (fromMs) => `${((Date.now() - fromMs) / 1000).toFixed(1)} s`
