import path from 'node:path'
import type { Page } from 'playwright-core'

const folder = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')

/** LOCKSTEP_PICTURES=1: what the page shows goes into the documentation, light and dark. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.LOCKSTEP_PICTURES !== '1') return
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor()
    await page.mouse.move(0, 0)
    await page.screenshot({ path: path.join(folder, `${name}-${scheme}.png`) })
  }
}
