import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious faults of access on a page as it is now; `only` names the rules. */
export async function seriousFaults(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  // Outside of the page's own world: its policy allows no foreign script.
  await page.evaluate(source)
  return page.evaluate(async (rules) => {
    const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
    // biome-ignore lint/suspicious/noExplicitAny: put there a moment ago
    const { violations } = await (globalThis as any).axe.run(options)
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
  }, only)
}
