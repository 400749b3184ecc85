// Load over HTTP from a process of its own, and readers of the live stream.
import http from 'node:http'
import autocannon from 'autocannon'
import { fireAll } from '../measure/wrk.mjs'
import { answer } from '../process/answer.mjs'

const readers = []

answer({
  async open() {},
  /** `rate`: so many a second in all, instead of as many as possible. Only that needs a program that can wait. */
  async fire({ url, body, connections, seconds, rate }) {
    if (rate === undefined) return fireAll({ url, body, connections, seconds })
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      overallRate: Math.round(rate),
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const failed = result.non2xx + result.errors + result.timeouts
    if (failed > 0) throw new Error(`${url}: ${failed} of ${result.requests.total} failed`)
    const { p50, p90, p99, max } = result.latency
    return { perSecond: result.requests.total / result.duration, p50Ms: p50, p90Ms: p90, p99Ms: p99, maxMs: max }
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
