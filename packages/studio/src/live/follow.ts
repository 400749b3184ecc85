import type { QueryClient } from '@tanstack/react-query'
import { after, hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'
import { openOneStream } from './one-stream.ts'

/** Lists are read again at most so often, however much happens. */
const LIST_MS = 1_000
const ONE_MS = 150

/** Queries whose key begins with one of these are lists and figures; `instance` is one thing, by id. */
const LISTS = ['instances', 'home', 'incidents', 'locks', 'schedules', 'nodes', 'definitions', 'batches'] as const

/** Keeps what the pages show in step with what the server tells. */
export function followServer(client: QueryClient): void {
  const { setMode, heard } = useLive.getState()
  const dirty = new Set<string>()
  let listsDue = false
  let oneDue = false
  const live = (): boolean => !useLive.getState().paused

  const flushOne = (): void => {
    oneDue = false
    const ids = [...dirty]
    dirty.clear()
    for (const id of ids) void client.invalidateQueries({ queryKey: ['instance', id] })
  }
  const flushLists = (): void => {
    listsDue = false
    if (!live() || document.hidden) return
    for (const name of LISTS) void client.invalidateQueries({ queryKey: [name] })
  }

  openOneStream(({ event, data }) => {
    heard(hostNow())
    if (useLive.getState().mode !== 'stream') setMode('stream')
    if (!live()) return
    if (event === 'reset') {
      void client.invalidateQueries()
      return
    }
    const id = instanceOf(data)
    if (id !== undefined) dirty.add(id)
    if (!oneDue && dirty.size > 0) {
      oneDue = true
      after(ONE_MS, flushOne)
    }
    if (!listsDue) {
      listsDue = true
      after(LIST_MS, flushLists)
    }
  }, setMode)

  // A switch back to live catches up at once.
  useLive.subscribe((now, before) => {
    if (before.paused && !now.paused) void client.invalidateQueries()
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
