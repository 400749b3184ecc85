// So many requests a second over HTTP, evenly: each is sent when it is due, whether or not the ones before were answered. Programs that give each
// connection its share of a second let them use it up at once and rest for what is left of it: that is the most a server can do, half of the time.
import net from 'node:net'
import { percentile } from './statistics.mjs'

const TICK_MS = 1
const HEAD_ENDS = Buffer.from('\r\n\r\n')

/** Times run from when a request was due, also where it had to wait for a connection that is free. */
export async function firePaced({ url, body, connections, seconds, rate }) {
  const target = new URL(url)
  const request = textOf(target, body)
  const free = await Promise.all(Array.from({ length: connections }, () => open(target)))
  const all = [...free]
  const [tookMs, waiting] = [[], []]
  let [sent, failed, broken] = [0, 0, undefined]

  const send = (connection, dueAt) => {
    connection.ask(request, (status) => {
      tookMs.push(performance.now() - dueAt)
      if (status < 200 || status > 299) failed += 1
      const next = waiting.shift()
      if (next === undefined) free.push(connection)
      else send(connection, next)
    })
  }
  for (const each of all) each.socket.on('error', (error) => (broken ??= error))

  const [from, count] = [performance.now(), Math.round(rate * seconds)]
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      const due = Math.min(count, Math.floor(((now - from) / 1000) * rate))
      for (; sent < due; sent += 1) {
        const connection = free.shift()
        if (connection === undefined) waiting.push(now)
        else send(connection, now)
      }
      const isLate = now - from > seconds * 3_000
      if (broken === undefined && !isLate && (sent < count || tookMs.length < count)) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
  })
  const tookSeconds = (performance.now() - from) / 1000
  for (const { socket } of all) socket.destroy()
  if (broken !== undefined) throw broken
  const missed = count - tookMs.length
  if (failed + missed > 0) throw new Error(`${url}: ${failed} of ${count} failed, ${missed} were not answered`)
  const at = (share) => percentile(tookMs, share)
  return { perSecond: count / tookSeconds, p50Ms: at(50), p90Ms: at(90), p99Ms: at(99), maxMs: at(100) }
}

function textOf({ host, pathname, search }, body) {
  const line = `${body === undefined ? 'GET' : 'POST'} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n`
  if (body === undefined) return `${line}\r\n`
  const text = JSON.stringify(body)
  return `${line}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** A connection with one request at a time. Answers have a length, as ours do. */
function open({ hostname, port }) {
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
  let [got, length, status, done] = [Buffer.alloc(0), undefined, 0, undefined]
  socket.on('data', (chunk) => {
    got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
    if (length === undefined) {
      const end = got.indexOf(HEAD_ENDS)
      if (end < 0) return
      const head = got.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      length = end + HEAD_ENDS.length + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    }
    if (got.length < length) return
    got = got.subarray(length)
    length = undefined
    done(status)
  })
  const connection = {
    socket,
    ask(text, answered) {
      done = answered
      socket.write(text)
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => resolve(connection))
  })
}
