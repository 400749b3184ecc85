// What the disk alone does while something else is measured: a page written and synchronised every few milliseconds, by a process of its own.
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../measure/statistics.mjs'
import { answer } from '../process/answer.mjs'

const page = Buffer.alloc(8192, 1)
const PAGES = 512
const PAUSE_MS = 10
let file
let watch

async function writePage(number) {
  await file.write(page, 0, page.length, number * page.length)
  await file.datasync()
}

answer({
  async open({ folder }) {
    file = await open(path.join(folder, 'pages'), 'w')
    for (let number = 0; number < PAGES; number += 1) await writePage(number)
  },
  async watch() {
    const tookMs = []
    const watching = { isOver: false, tookMs }
    watching.ended = (async () => {
      for (let number = 0; !watching.isOver; number = (number + 1) % PAGES) {
        const from = performance.now()
        await writePage(number)
        tookMs.push(performance.now() - from)
        await delay(PAUSE_MS)
      }
    })()
    watch = watching
  },
  async seen() {
    watch.isOver = true
    await watch.ended
    return { p50Ms: percentile(watch.tookMs, 50), p99Ms: percentile(watch.tookMs, 99) }
  },
  async close() {
    await file?.close()
  },
})
