import { expect, it } from 'vitest'
import {
  canvas,
  create,
  faults,
  middleOf,
  open,
  ownPage,
  page,
  picture,
  saveState,
  step,
  studio,
} from './designer-site.ts'
import { saga } from './designer-workflows.ts'
import { seriousFaultsInBoth } from './serious-faults.ts'

/** What is seen of a drawing, and by whom: zoom, panes, versions, a viewer, light and dark. */
export function viewing(): void {
  it('E12 recovers from both ends of the zoom, by wheel and by key', async () => {
    await create({ ...saga, id: 'zoomed' })
    await open('zoomed')
    const zoom = async () =>
      Number(/scale\(([\d.]+)\)/.exec((await page.locator('.react-flow__viewport').getAttribute('style')) ?? '')?.[1])
    const wheel = async (by: number, times: number) => {
      const { x, y } = await middleOf(canvas())
      await page.mouse.move(x, y)
      await page.keyboard.down('Control')
      for (let turn = 0; turn < times; turn++) await page.mouse.wheel(0, by)
      await page.keyboard.up('Control')
    }
    for (const [towards, end] of [
      [900, 0.08],
      [-900, 2.5],
    ] as const) {
      await expect
        .poll(async () => {
          await wheel(towards, 4)
          return zoom()
        })
        .toBe(end)
      // Beyond the end nothing moves, and the first turn back does.
      await wheel(towards, 2)
      expect(await zoom()).toBe(end)
      await wheel(-towards / 6, 1)
      await expect.poll(async () => Math.sign((await zoom()) - end)).toBe(Math.sign(towards))
    }
    await canvas().focus()
    await page.keyboard.press('0')
    await expect.poll(zoom).toBe(1)
    await page.keyboard.press('1')
    const room = (await canvas().boundingBox())!
    await expect
      .poll(async () => {
        const boxes = await Promise.all(['reserve', 'pay', 'ship'].map((id) => step(id).boundingBox()))
        return boxes.every(
          (box) => box!.x >= room.x && box!.y >= room.y && box!.y + box!.height <= room.y + room.height,
        )
      })
      .toBe(true)
    expect(faults).toEqual([])
  })

  it('shows a drawing again where somebody left it, and from its start where nothing would be seen', async () => {
    await create({ ...saga, id: 'left-there' })
    await open('left-there')
    const at = () => page.locator('.react-flow__viewport').getAttribute('style')
    await canvas().focus()
    await page.keyboard.press('0')
    await expect.poll(at).toContain('scale(1)')
    const { x, y } = await middleOf(canvas())
    await page.mouse.move(x, y)
    const kept = () => page.evaluate(() => localStorage.getItem('lockstep-designer-view left-there'))
    await expect.poll(kept).toContain('"zoom":1}')
    const before = await kept()
    await page.mouse.wheel(-40, -90)
    await expect.poll(kept).not.toBe(before)
    const left = await at()
    await open('left-there')
    await expect.poll(at).toBe(left)
    await page.evaluate(() =>
      localStorage.setItem('lockstep-designer-view left-there', JSON.stringify({ x: -90_000, y: 0, zoom: 1 })),
    )
    await open('left-there')
    await page.locator('[data-step]').first().waitFor()
    expect(await at()).not.toContain('-90000')
    await expect.poll(() => page.locator('[data-step]').first().isVisible()).toBe(true)
    const [box, whole] = await Promise.all([page.locator('[data-step]').first().boundingBox(), canvas().boundingBox()])
    expect(box!.x).toBeLessThan(whole!.x + whole!.width)
    expect(box!.x + box!.width).toBeGreaterThan(whole!.x)
  })

  it('folds its panes away, and in a window half as wide has all of it within reach', async () => {
    await create({ ...saga, id: 'narrow' })
    await open('narrow')
    const wide = (await canvas().boundingBox())!.width
    await canvas().focus()
    await page.keyboard.press('[')
    await page.keyboard.press(']')
    await page.locator('[data-inspector]').waitFor({ state: 'detached' })
    expect((await canvas().boundingBox())!.width).toBeGreaterThan(wide + 600)
    // They stay as they were left; whoever asks for a field gets its pane.
    await open('narrow')
    expect(await page.getByRole('tab', { name: 'Outline' }).count()).toBe(0)
    await page
      .locator('[data-step]')
      .first()
      .click({ position: { x: 40, y: 12 } })
    await page.keyboard.press('F2')
    await page.locator('[data-step-name]').waitFor()
    await expect
      .poll(() => page.locator('[data-step-name]').evaluate((field) => field === document.activeElement))
      .toBe(true)

    // Twice as large in a window of the same size.
    await page.setViewportSize({ width: 720, height: 450 })
    await open('narrow')
    expect(await page.locator('[data-inspector]').count()).toBe(0)
    for (const name of ['Undo', 'Validate', 'Versions', 'Publish', 'Inspector', 'Steps and outline']) {
      const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!
      expect([name, box.x >= 0 && box.x + box.width <= 720]).toEqual([name, true])
    }
    await page.getByRole('button', { name: 'Inspector', exact: true }).click()
    await page.locator('[data-inspector]').waitFor()
    await page.getByRole('button', { name: 'Steps and outline', exact: true }).click()
    await page.getByRole('tab', { name: 'Outline' }).waitFor()
    expect(await page.locator('[data-inspector]').count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(720)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('E16 lays a version without places out, and changes nothing', async () => {
    await studio.api('PUT', '/workflow-definitions/old', { ...saga, id: 'old', notes: [] })
    const { etag } = await studio.api('GET', '/workflow-definitions/old')
    const written: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && written.push(request.url()))
    await open('old', page, '?version=1')
    await step('ship').waitFor()
    await page.getByText('Version 1 never changes').waitFor()
    const boxes = await Promise.all(['reserve', 'big', 'ask', 'pay', 'ship'].map((id) => step(id).boundingBox()))
    expect(new Set(boxes.map((box) => Math.round(box!.y))).size).toBe(5)
    await open('old')
    await step('ship').click()
    await page.keyboard.press('Escape')
    await saveState('saved').waitFor()
    expect(written.filter((url) => url.includes('workflow-definitions'))).toEqual([])
    expect((await studio.api('GET', '/workflow-definitions/old')).etag).toBe(etag)
  })

  it('has no serious finding of axe, light and dark', async () => {
    await create({ ...saga, id: 'looked-at' })
    await create({ id: 'blank', ...{ name: 'New workflow', activities: [] } })
    const found: string[] = []
    const look = async (name: string): Promise<void> => {
      await picture(name)
      found.push(...(await seriousFaultsInBoth(page)).map((each) => `${name}, ${each}`))
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    }
    await open('blank')
    await page.getByTestId('designer-empty').waitFor()
    await look('designer-empty')
    await open('looked-at')
    await step('ship').waitFor()
    await look('designer')
    await page.getByRole('tab', { name: 'Outline' }).click()
    await page.getByRole('button', { name: 'Fold Charge the card' }).click()
    await step('ask').click()
    await look('designer-inspector')
    expect(found).toEqual([])
    expect(faults).toEqual([])
  })

  it('shows a viewer everything, and lets nothing be changed', async () => {
    await create({ ...saga, id: 'seen' })
    await ownPage()
    await page.route('**/api/v1/session', async (route) => {
      const answer = await route.fetch()
      const caller = await answer.json()
      await route.fulfill({ json: { ...caller, role: 'viewer', permissions: ['definitions:read', 'instances:read'] } })
    })
    await open('seen')
    await page.getByText('Read only').waitFor()
    await step('ship').click()
    await page.keyboard.press('Delete')
    await page.keyboard.press('d')
    await step('ship').waitFor()
    expect(await page.locator('[data-type="log"]').isDisabled()).toBe(true)
    for (const name of ['Publish', 'Validate', 'Undo', 'Redo', 'Lay out']) {
      const button = page.getByRole('button', { name, exact: true })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.getAttribute('aria-description')).toContain('Your role, viewer, may not do this.')
    }
    await page.getByRole('button', { name: 'Publish', exact: true }).click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
}
