import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  canvas,
  create,
  draftOf,
  faults,
  middleOf,
  open,
  page,
  picture,
  ready,
  saveAs,
  saveState,
  step,
} from './designer-site.ts'
import { large, saga } from './designer-workflows.ts'

const NOTE = [
  '# Each step undoes itself',
  'when a **later** one fails, see [sagas](https://example.org/sagas):',
  '- one\n- two\n',
].join('\n')
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> [out](javascript:window.hacked=1)'

/** Where things are: folded, level with each other, found again, five hundred of them. */
export function arranging(): void {
  it('folds containers, draws lines to what a dragged step is level with, and reads notes as Markdown', async () => {
    const note = { id: 'note1', text: NOTE, x: -300, y: -40, width: 260, height: 150 }
    const at = (x: number, y: number) => ({ layout: { position: { x, y } } })
    const places: Readonly<Record<string, ReturnType<typeof at>>> = {
      ...{ reserve: at(0, 0), big: at(0, 230), ask: at(-260, 360), pay: at(0, 480), ship: at(363, 837) },
    }
    const activities = saga.activities.map((each) => ({ ...each, ...places[each.id] }))
    await create({ ...saga, id: 'tidy', ...{ activities, notes: [note] } })
    await open('tidy')

    const read = page.locator('[data-note="note1"]')
    expect(await read.locator('li').allInnerTexts()).toEqual(['one', 'two'])
    expect(await read.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(
      ['https://example.org/sagas'],
    )
    await step('charge').waitFor()
    // All of it can be seen: a map would only lie over the step in its corner.
    const map = page.locator('.react-flow__minimap')
    expect(await map.count()).toBe(0)
    await canvas().focus()
    await page.keyboard.press('0')
    await map.waitFor()
    await page.keyboard.press('1')
    await map.waitFor({ state: 'detached' })
    await picture('designer-notes')
    await read.locator('strong').click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe(NOTE)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Fold Charge the card' }).click()
    await step('charge').waitFor({ state: 'detached' })
    await step('pay').getByText('3 steps').waitFor()
    await picture('designer-folded')
    await page.reload()
    await ready('tidy')
    await step('pay').getByText('3 steps').waitFor()
    // What is looked for in the outline can be seen.
    await page.getByRole('tab', { name: 'Outline' }).click()
    await page.getByRole('treeitem', { name: 'Send the receipt' }).click()
    await step('receipt').waitFor()
    await step('pay').click({ position: { x: 12, y: 14 } })
    await page.keyboard.press('f')
    await step('receipt').waitFor({ state: 'detached' })

    const [from, to] = [await middleOf(step('ship')), await middleOf(step('big'))]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    // The drag begins with the second move, from where the pointer is then.
    await page.mouse.move(from.x - 2, from.y)
    await page.mouse.move(to.x, from.y, { steps: 4 })
    await page.locator('[data-snap="x"]').first().waitFor()
    await picture('designer-snap')
    await page.mouse.up()
    await page.locator('[data-snap]').first().waitFor({ state: 'detached' })
    const shipX = async () =>
      (await draftOf('tidy')).activities.find((each: { id: string }) => each.id === 'ship').layout.position.x
    await expect.poll(shipX).toBe(0)

    await saveState('saved').waitFor()
    await saveAs<{ notes: { text: string }[] }>('tidy', ({ notes }) => {
      notes[0]!.text = MARKUP
    })
    await expect.poll(() => read.innerText()).toContain('<img src=x onerror="window.hacked=1">')
    expect(await read.innerText()).toContain('[out](javascript:window.hacked=1)')
    expect(await read.locator('img, script').count()).toBe(0)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(faults).toEqual([])
  })

  it('finds steps by name, type, expression and value, and aligns what is selected', async () => {
    const at = (x: number, y: number) => ({ layout: { position: { x, y } } })
    await create({
      id: 'search',
      ...{
        activities: [
          { id: 'a', name: 'Greet', type: 'log', inputs: { message: 'hello' }, ...at(0, 0) },
          {
            id: 'b',
            name: 'Work out',
            type: 'set-variable',
            inputs: { name: 'x', value: { $expr: 'input.rate * 2' } },
            ...at(60, 140),
          },
          { id: 'c', name: 'File it', type: 'log', inputs: { message: 'filed' }, ...at(120, 280) },
        ],
      },
    })
    await open('search')
    await page.getByTestId('design-canvas').click({ position: { x: 10, y: 10 } })
    await page.keyboard.press('Control+f')
    const find = page.getByRole('dialog', { name: 'Find a step' })
    await find.getByRole('combobox').fill('input.rate')
    await find.getByRole('option', { name: /Work out/ }).waitFor()
    expect(await find.getByRole('option').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.locator('[data-step="b"][data-selected="true"]').waitFor()

    await page.keyboard.press('Control+a')
    await page.keyboard.press('Alt+Shift+ArrowLeft')
    const left = (id: string) =>
      step(id)
        .boundingBox()
        .then((box) => Math.round(box!.x))
    await expect.poll(async () => new Set([await left('a'), await left('b'), await left('c')]).size).toBe(1)
    await page.keyboard.press('Control+z')
    await expect.poll(async () => new Set([await left('a'), await left('b'), await left('c')]).size).toBe(3)
    await saveState('saved').waitFor()
  })

  it('E27 opens 200 and 500 steps, drags and lays out 500', async () => {
    await create({ ...large(200), id: 'large-200' })
    await create(large(500))
    const opening = async (id: string) => {
      const from = performance.now()
      await open(id)
      await step('s0').waitFor()
      return Math.round(performance.now() - from)
    }
    const open200Ms = await opening('large-200')
    const open500Ms = await opening('large')
    const frames = page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const times: number[] = []
          let last = performance.now()
          const tick = (now: number): void => {
            times.push(now - last)
            last = now
            if (document.body.dataset.framesDone === 'yes') resolve(times)
            else requestAnimationFrame(tick)
          }
          requestAnimationFrame(tick)
        }),
    )
    const from = await middleOf(step('s0'))
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    for (let turn = 1; turn <= 40; turn++) await page.mouse.move(from.x + turn * 3, from.y + turn * 2)
    await page.mouse.up()
    await page.evaluate(() => {
      document.body.dataset.framesDone = 'yes'
    })
    const times = (await frames).slice(1).sort((a, b) => a - b)
    await saveState('saved').waitFor()
    const places = async () =>
      (await draftOf('large')).activities.map((each: { layout: { position: object } }) => each.layout.position)
    expect((await places())[0].x).toBeGreaterThan(0)

    const laid = performance.now()
    await canvas().focus()
    await page.keyboard.press('Shift+L')
    await page.getByText('Laid out.').waitFor({ state: 'attached' })
    const layoutMs = Math.round(performance.now() - laid)
    await saveState('saved').waitFor()
    const laidOut: readonly { x: number; y: number }[] = await places()
    expect(new Set(laidOut.map(({ x, y }) => `${x} ${y}`)).size).toBe(500)
    const figures = {
      ...{ steps: 500, frames: times.length, medianMs: times[times.length >> 1], mostMs: times.at(-1) },
      ...{ framesOver17Ms: times.filter((ms) => ms > 17).length, open200Ms, open500Ms, layoutMs },
    }
    writeFileSync(path.join(process.env.LOCKSTEP_FIGURES ?? tmpdir(), 'designer-frames.json'), JSON.stringify(figures))
  })
}
