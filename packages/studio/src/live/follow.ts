import type { QueryClient } from '@tanstack/react-query'
import { after, hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'
import { openOneStream } from './one-stream.ts'

/** Lists are read again at most so often, however much happens. */
const LIST_MS = 1_000
const ONE_MS = 150

/** Queries whose key begins with one of these are lists and figures, by the topic that changes them; `instance` is one thing, by id. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  instances: ['instances', 'home', 'locks', 'batches', 'schedules'],
  definitions: ['definitions', 'home'],
  incidents: ['incidents', 'instances', 'home'],
  schedules: ['schedules', 'home'],
  cluster: ['nodes', 'locks', 'home'],
}

/** Keeps what the pages show in step with what the server tells. */
export function followServer(client: QueryClient): void {
  const { setStream, heard } = useLive.getState()
  const dirty = new Set<string>()
  const lists = new Set<string>()

  const flushOne = (): void => {
    const ids = [...dirty]
    dirty.clear()
    for (const id of ids) void client.invalidateQueries({ queryKey: ['instance', id] })
  }
  const flushLists = (): void => {
    const names = [...lists]
    lists.clear()
    if (useLive.getState().paused || document.hidden) return
    for (const name of names) void client.invalidateQueries({ queryKey: [name] })
  }

  const stream = openOneStream(({ event, data }) => {
    heard(hostNow())
    const { mode, paused } = useLive.getState()
    if (mode !== 'stream') setStream('stream')
    if (paused || event === 'ready') return
    if (event === 'reset') {
      void client.invalidateQueries()
      return
    }
    const id = instanceOf(data)
    if (id !== undefined) {
      if (dirty.size === 0) after(ONE_MS, flushOne)
      dirty.add(id)
    }
    const names = LISTS[event] ?? []
    if (names.length > 0 && lists.size === 0) after(LIST_MS, flushLists)
    for (const name of names) lists.add(name)
  }, setStream)

  useLive.subscribe((now, before) => {
    if (now.paused && !before.paused) stream.pause()
    if (before.paused && !now.paused) {
      stream.resume()
      void client.invalidateQueries() // catches up at once
    }
    if (before.mode === 'stale' && now.mode === 'stream') void client.invalidateQueries()
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
