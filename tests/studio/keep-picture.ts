import path from 'node:path'
import type { Page } from 'playwright-core'

const folder = path.join(import.meta.dirname, '..', '..', 'docs', 'assets', 'studio')

/** LOCKSTEP_PICTURES=1: what the page shows goes into the documentation, light and dark. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.LOCKSTEP_PICTURES !== '1') return
  await closeNotices(page)
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor()
    await page.mouse.move(0, 0)
    await page.screenshot({ path: path.join(folder, `${name}-${scheme}.png`) })
  }
}

/** What was done just before is told in a corner for a while: no part of what a picture shows. */
export async function closeNotices(page: Page): Promise<void> {
  const close = page.locator('.mantine-Notification-closeButton')
  for (let left = await close.count(); left > 0; left = await close.count()) {
    const notice = await page.locator('.mantine-Notification-root').first().elementHandle()
    // One that goes by itself meanwhile is as good as closed.
    await close
      .first()
      .click({ timeout: 2_000 })
      .catch(() => {})
    await notice?.waitForElementState('hidden')
  }
}
