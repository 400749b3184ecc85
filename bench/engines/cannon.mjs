// Load over HTTP from a process of its own, and readers of the live stream.
import http from 'node:http'
import { firePaced } from '../measure/paced.mjs'
import { fireAll } from '../measure/wrk.mjs'
import { answer } from '../process/answer.mjs'

const readers = []

answer({
  async open() {},
  /** `rate`: so many a second in all, evenly, instead of as many as possible. */
  async fire({ rate, ...load }) {
    return rate === undefined ? fireAll(load) : firePaced({ ...load, rate })
  },
  /** Opens so many streams and reads what comes. Settles when all of them have begun. */
  async subscribe({ url, count }) {
    const begun = Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const request = http.get(url, { agent: new http.Agent() }, (response) => {
            response.once('data', resolve)
            response.resume()
          })
          request.on('error', reject)
          readers.push(request)
        }),
    )
    await Promise.all(begun)
  },
  async unsubscribe() {
    for (const reader of readers.splice(0)) {
      reader.on('error', () => {})
      reader.destroy()
    }
  },
  async close() {},
})
