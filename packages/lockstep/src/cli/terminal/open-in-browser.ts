import { spawn } from 'node:child_process'

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Hands the address to the desktop. `false`: there is none, or it has no browser. */
export function openInBrowser(url: string, platform: string = process.platform): Promise<boolean> {
  const [program, ...args] = PROGRAMS[platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(program!, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
