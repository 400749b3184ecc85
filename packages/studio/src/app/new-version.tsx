import { useEffect, useState } from 'react'
import { basePath } from '../browser/place.ts'
import { every } from '../browser/time.ts'
import { useLive } from '../live/live-state.ts'
import classes from './shell.module.css'

const LOOK_MS = 5 * 60_000
const ENTRY = /<script type="module"[^>]*src="([^"]+)"/

/** Appears when the server serves another Studio than this one. Nobody is made to reload: work may be open. */
export function NewVersion() {
  const [newer, setNewer] = useState(false)
  const mode = useLive((live) => live.mode)
  useEffect(() => {
    if (mode === 'stale' || mode === 'connecting') return
    let gone = false
    const look = async (): Promise<void> => {
      if (document.hidden) return
      const served = await servedEntry().catch(() => undefined)
      if (!gone && served !== undefined && served !== ownEntry()) setNewer(true)
    }
    void look() // a server that was away may have come back as another
    const stop = every(LOOK_MS, () => void look())
    return () => {
      gone = true
      stop()
    }
  }, [mode])
  if (!newer) return null
  return (
    <div className={classes.newer} role="status" data-testid="new-version">
      The server has a newer Studio.
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
      <button type="button" onClick={() => setNewer(false)}>
        Later
      </button>
    </div>
  )
}

const ownEntry = (): string | undefined => document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src

/** The address of the script of the page as the server hands it out now. */
async function servedEntry(): Promise<string | undefined> {
  const response = await fetch(`${basePath}/`, { cache: 'no-store' })
  const source = response.ok ? ENTRY.exec(await response.text())?.[1] : undefined
  return source === undefined ? undefined : new URL(source, document.baseURI).href
}
