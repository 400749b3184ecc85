import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  create,
  draftOf,
  faults,
  messageField,
  open,
  ownPage,
  page,
  picture,
  publishedVersion,
  saveState,
  step,
  studio,
} from './designer-site.ts'
import { seriousFaults } from './serious-faults.ts'

/** What is typed into the fields of a step. */
export function fields(): void {
  it('E15 keys in a text field never touch the drawing', async () => {
    await create({ id: 'typing', ...{ activities: [{ id: 'say', type: 'log', inputs: { message: 'hello' } }] } })
    await open('typing')
    await step('say').click()
    const field = messageField()
    await field.click()
    for (const key of ['Control+a', 'Control+c', 'Control+v', 'Control+v', 'd', 'c', 'n', '1', 'Backspace', 'Delete'])
      await page.keyboard.press(key)
    await expect.poll(() => field.inputValue()).toBe('hellohellodcn')
    await page.keyboard.press('Control+z')
    await saveState('saved').waitFor()
    const { activities, notes } = await draftOf('typing')
    expect(activities).toHaveLength(1)
    expect(activities[0]).not.toHaveProperty('x-disabled')
    expect(notes).toBeUndefined()
  })

  it('E22 marks a wrong expression on step, list and field, and does not publish it', async () => {
    await create({
      id: 'wrong',
      ...{ activities: [{ id: 'check', type: 'if', inputs: { condition: { $expr: 'input.amount >' } } }] },
    })
    await open('wrong')
    await step('check').getByTestId('step-problem').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const row = page.locator('[data-problem="INVALID_EXPRESSION"]').first()
    await row.waitFor()
    const { problems } = await studio.api('GET', '/workflow-definitions/wrong/draft')
    expect(problems.map((each: { pointer: string }) => each.pointer)).toContain(await row.getAttribute('data-pointer'))
    await row.click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-input]')?.getAttribute('data-input')))
      .toBe('condition')
    await page.locator('[data-input="condition"][data-faulty="true"]').waitFor()
    expect(await publishedVersion('wrong')).toBeNull()
  })

  it('picks moments with their zone, and secrets by name', async () => {
    const list = { page: { next: null, prev: null, limit: 200 }, count: { value: 2, exact: true } }
    const secrets = /\/secrets\?/
    await page.route(secrets, (route) =>
      route.fulfill({ json: { items: [{ name: 'billing-token' }, { name: 'partner-key' }], ...list } }),
    )
    const charge = { id: 'charge', type: 'http-request', inputs: { url: 'https://example.com/charges' } }
    await create({ id: 'picked', ...{ activities: [{ id: 'until', type: 'wait-until' }, charge] } })
    await open('picked')
    const inputs = async (at: number) => (await draftOf('picked')).activities[at].inputs
    const field = (name: string): Locator => page.locator(`[data-inspector] [data-input="${name}"]`)
    await step('until').click()
    await field('at').locator('input[type="datetime-local"]').fill('2030-01-31T09:00')
    await expect.poll(async () => (await inputs(0))?.at).toMatch(/^2030-01-31T09:00:00(Z|[+-]\d\d:\d\d)$/)
    expect(await field('at').getByTestId('field-zone').innerText()).toContain('2030-01-31T09:00:00')

    await step('charge').click()
    await field('headers').getByRole('button', { name: 'headers: put a secret in' }).click()
    await page.getByRole('menuitem', { name: 'billing-token' }).click()
    const authorization = { $secret: 'billing-token', prefix: 'Bearer ' }
    await expect.poll(async () => (await inputs(1)).headers).toEqual({ authorization })
    await field('url').getByRole('button', { name: 'url: secret' }).click()
    await field('url').getByLabel('url: name of a secret').fill('partner')
    await page.getByRole('option', { name: 'partner-key' }).click()
    await expect.poll(async () => (await inputs(1)).url).toEqual({ $secret: 'partner-key' })
    expect(await seriousFaults(page)).toEqual([])
    await picture('designer-secrets')
    await field('url').getByRole('button', { name: 'url: secret' }).click()
    await expect.poll(async () => (await inputs(1)).url).toBeUndefined()
    await page.unroute(secrets)
    expect(faults).toEqual([])
  })

  it('lets whoever types an expression go on in its editor, however late that comes', async () => {
    await create({
      id: 'late',
      ...{ activities: [{ id: 'check', type: 'if', inputs: { condition: { $expr: '' } } }] },
    })
    await ownPage()
    let bring = (): void => {}
    const asked = new Promise<void>((resolve) => {
      bring = resolve
    })
    await page.route('**/assets/expression-field-*.js', async (route) => {
      await asked
      await route.continue()
    })
    await open('late')
    await step('check').click()
    await page.locator('[data-input="condition"] textarea[data-expression]').click()
    await page.keyboard.type('input.am')
    bring()
    await page.locator('[data-input="condition"] .cm-content:focus').waitFor()
    await page.keyboard.type('ount > 1')
    await expect.poll(async () => (await draftOf('late')).activities[0].inputs.condition.$expr).toBe('input.amount > 1')
  })
}
