import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious faults of access on a page as it is now; `only` names the rules. */
export async function seriousFaults(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  // Outside of the page's own world: its policy allows no foreign script. Half a megabyte: a page that was looked at has it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  return page.evaluate(async (rules) => {
    const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
    // biome-ignore lint/suspicious/noExplicitAny: put there a moment ago
    const { violations } = await (globalThis as any).axe.run(options)
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
  }, only)
}

/** In the dark only colours are different. */
export const rulesOf = (scheme: 'light' | 'dark'): readonly string[] | undefined =>
  scheme === 'dark' ? ['color-contrast'] : undefined

/** The same in light and in dark; afterwards the page is as light as it was, and nothing moves. */
export async function seriousFaultsInBoth(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor()
    found.push(...(await seriousFaults(page, rulesOf(scheme))).map((fault) => `${scheme}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' })
  return found
}
