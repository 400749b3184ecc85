// A bank without idempotency keys: every call books. Its books are a file that outlives the processes which call it.
import { appendFileSync, readFileSync } from 'node:fs'

export const charge = (books, order) => {
  appendFileSync(books, `${order}\n`)
  return { receipt: `receipt of ${order}` }
}

export const chargesOf = (books, order) =>
  readFileSync(books, 'utf8')
    .split('\n')
    .filter((line) => line === order).length
