import { expect, it } from 'vitest'
import { canvas, create, D, draftOf, open, page, saveState, step, studio } from './designer-site.ts'
import { saga } from './designer-workflows.ts'

/** Back and forth over what was changed, to the byte. */
export function undoing(): void {
  it('E13 undoes everything to the byte, layout as one step, and leaves what is published alone', async () => {
    await create(saga)
    await open('order-saga')
    const before = JSON.stringify(sorted(await draftOf('order-saga')))
    await step('ship').click()
    await page.keyboard.press('Control+d')
    await step('ship2').waitFor()
    await page.keyboard.press('d')
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('Shift+L')
    const text = async () => JSON.stringify(sorted(await draftOf('order-saga')))
    // A step that nobody moved has a place: it is the layout that is saved, not the move before it.
    await expect.poll(text).toMatch(/"id":"release",[^}]*\},"layout"/)
    await saveState('saved').waitFor()
    const laidOut = await text()
    await page.keyboard.press('n')
    await page.locator('[data-note="note2"]').waitFor()
    await canvas().focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.getByTestId('designer-empty').waitFor()
    await expect.poll(async () => (await draftOf('order-saga')).activities).toEqual([])
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await expect.poll(text).toBe(laidOut)
    await studio.api('PUT', `${D}/published-saga`, { ...saga, id: 'published-saga' })
    for (let turn = 0; turn < 4; turn++) await page.keyboard.press('Control+z')
    await expect.poll(text).toBe(before)
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
    for (let turn = 0; turn < 4; turn++) await page.keyboard.press('Control+Shift+z')
    await expect.poll(text).toBe(laidOut)
  })

  it('E13 goes back over thirty changes of every kind, and forth again, each to the byte', async () => {
    const id = 'thirty-changes'
    const names = ['first', 'second', 'third', 'fourth']
    const activities = names.map((name) => ({ id: name, type: 'log', inputs: { message: name } }))
    const connections = names.slice(1).map((to, index) => ({ from: names[index], to }))
    await create({ id, ...{ activities, connections } })
    await open(id)
    const text = async () => JSON.stringify(sorted(await draftOf(id)))
    const stages = [await text()]
    /** Saved at once: the page would wait whether more comes. */
    const saved = async (keys: string, before: string): Promise<string> => {
      await page.keyboard.press(keys)
      await page.keyboard.press('Control+s')
      await expect.poll(text).not.toBe(before)
      await saveState('saved').waitFor()
      return text()
    }
    /** One change that undo knows of, seen in the draft before the next. */
    const change = async (keys: string): Promise<void> => {
      stages.push(await saved(keys, stages.at(-1)!))
    }
    for (const [turn, name] of names.entries()) {
      await step(name).click()
      await canvas().focus()
      // Never two moves in a row: those of one moment are one step.
      const aside = turn % 2 === 0 ? 'Alt+ArrowRight' : 'Alt+ArrowLeft'
      for (const key of [aside, 'd', 'Alt+ArrowDown', 'd', 'Control+d']) await change(key)
      await step(`${name}2`).waitFor()
      await change('Delete') // what was made is what is chosen
      if (turn % 2 === 0) await change('Shift+L')
    }
    for (let count = 0; count < 4; count += 1) {
      await canvas().focus()
      await change('n')
    }
    await canvas().focus()
    expect(stages).toHaveLength(31)
    /** Every stop on the way is a stage, and none comes twice. */
    const walk = async (keys: string, from: number, to: number): Promise<number> => {
      let [at, steps] = [from, 0]
      while (at !== to) {
        const now = await saved(keys, stages[at]!)
        const next = to < from ? stages.lastIndexOf(now, at - 1) : stages.indexOf(now, at + 1)
        expect(next, `what ${keys} leads to was there before`).not.toBe(-1)
        ;[at, steps] = [next, steps + 1]
      }
      return steps
    }
    const steps = await walk('Control+z', 30, 0)
    expect(steps).toBe(30)
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
    expect(await walk('Control+Shift+z', 0, 30)).toBe(steps)
    expect(await page.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(true)
  })
}

/** Members in one order, at any depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
