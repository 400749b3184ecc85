import type { QueryClient } from '@tanstack/react-query'
import { after, hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'
import { openOneStream } from './one-stream.ts'
import { paced } from './paced.ts'

/** Lists are read again at once, and then at most so often, however much happens. */
const LIST_MS = 1_000
const ONE_MS = 150
/** A server that comes and goes is not asked for everything each time that it comes. */
const CATCH_UP_MS = 5_000

/** Queries whose key begins with one of these are lists and figures, by the topic that changes them; `instance` is one thing, by id. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  instances: ['instances', 'home', 'locks', 'batches', 'schedules'],
  definitions: ['definitions', 'home'],
  incidents: ['incidents', 'instances', 'home'],
  schedules: ['schedules', 'home'],
  cluster: ['nodes', 'locks', 'home'],
  locks: ['locks'],
}

/** Keeps what the pages show in step with what the server tells. */
export function followServer(client: QueryClient): void {
  const { setStream, heard } = useLive.getState()
  const changed = paced(ONE_MS, after, (ids) => {
    for (const id of ids) void client.invalidateQueries({ queryKey: ['instance', id] })
  })
  const listsChanged = paced(LIST_MS, after, (names) => {
    if (useLive.getState().paused || document.hidden) return
    for (const name of names) void client.invalidateQueries({ queryKey: [name] })
  })
  const catchUp = paced(CATCH_UP_MS, after, () => {
    if (!useLive.getState().paused) void client.invalidateQueries({}, { cancelRefetch: false })
  })

  const stream = openOneStream(({ event, data }) => {
    heard(hostNow())
    const { stream: said, paused } = useLive.getState()
    if (said !== 'stream') setStream('stream')
    if (paused || event === 'ready') return
    if (event === 'reset') {
      void client.invalidateQueries()
      return
    }
    const id = instanceOf(data)
    if (id !== undefined) changed(id)
    for (const name of LISTS[event] ?? []) listsChanged(name)
  }, setStream)

  useLive.subscribe((now, before) => {
    if (now.paused && !before.paused) stream.pause()
    if (before.paused && !now.paused) {
      stream.resume()
      void client.invalidateQueries() // catches up at once
    }
    // With or without a stream: pages that never ask by themselves would keep what they could not read.
    if (before.mode === 'stale' && now.mode !== 'stale') catchUp('all')
  })
}

function instanceOf(data: string): string | undefined {
  try {
    const parsed = JSON.parse(data) as { readonly instanceId?: unknown; readonly id?: unknown }
    const id = parsed.instanceId ?? parsed.id
    return typeof id === 'string' && id.startsWith('wfi_') ? id : undefined
  } catch {
    return undefined
  }
}
