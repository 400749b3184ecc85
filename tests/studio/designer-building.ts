import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  canvas,
  create,
  draftOf,
  drag,
  faults,
  go,
  messageField,
  middleOf,
  open,
  page,
  publish,
  publishedVersion,
  saveState,
  step,
  studio,
} from './designer-site.ts'

interface Part {
  readonly activities: readonly Activity[]
}
interface Activity {
  readonly id: string
  readonly body?: Part
  readonly catch?: Part
  readonly branches?: readonly Part[]
}

/** Published workflows stay: a test that is repeated takes another id. */
let turns = 0

/** What is drawn by hand: steps, lines and what is inside of what, by mouse and by keys. */
export function building(): void {
  it('E10 builds five steps by mouse, publishes them, and the run completes', async () => {
    const id = `by-mouse-${++turns}`
    await go(`${studio.url}/definitions`)
    await page.getByRole('button', { name: 'New workflow', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill(`By mouse ${turns}`)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByTestId('designer-empty').waitFor()
    const box = (await canvas().boundingBox())!
    const at = (x: number, y: number) => ({ targetPosition: { x, y } })

    await page.locator('[data-type="log"]').dragTo(canvas(), at(box.width / 2, 90))
    await messageField().fill('begun')
    await page.locator('[data-type="if"]').dragTo(canvas(), at(box.width / 2, 300))
    await step('if').waitFor()
    // From the port of one to the other.
    await drag(
      await middleOf(step('log').locator('[data-outcome="done"]')),
      await middleOf(step('if').locator('.target')),
    )
    // Onto the line between them.
    const [top, bottom] = [await middleOf(step('log')), await middleOf(step('if'))]
    await page
      .locator('[data-type="set-output"]')
      .dragTo(canvas(), { targetPosition: { x: top.x - box.x, y: (top.y + bottom.y) / 2 - box.y } })
    await step('setOutput').waitFor()
    await page.locator('[data-inspector] [data-input="name"] input').fill('total')
    await page.locator('[data-input="value"]').getByRole('textbox').first().fill('7')
    await step('if').click()
    await page.getByRole('button', { name: 'condition: expression' }).click()
    await page.locator('[data-input="condition"] .cm-content').click()
    await page.keyboard.type('true')
    // From a port into the void.
    const port = await middleOf(step('if').locator('[data-outcome="true"]'))
    await drag(port, { x: port.x - 60, y: port.y + 130 })
    await page.getByRole('combobox', { name: 'Add a step' }).fill('log')
    await page.getByRole('option', { name: /^Log/ }).click()
    await messageField().fill('large')
    // Clicked: after what is selected.
    await page.locator('[data-type="finish"]').click()
    await saveState('saved').waitFor()

    const draft = await draftOf(id)
    expect(
      draft.connections.map((line: { from: string; outcome?: string; to: string }) => [
        line.from,
        line.outcome ?? 'done',
        line.to,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['log', 'done', 'setOutput'],
        ['setOutput', 'done', 'if'],
        ['if', 'true', 'log2'],
        ['log2', 'done', 'finish'],
      ]),
    )
    await publish()
    await page.getByRole('dialog', { name: 'Published' }).getByRole('button', { name: 'Close' }).last().click()
    expect(await publishedVersion(id)).toBe(1)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/\/instances\/wfi_/)
    await page.locator('header [data-status="completed"]').waitFor()
    expect(faults).toEqual([])
  })

  it('E11 builds and connects a workflow by keyboard only', async () => {
    const id = `by-keys-${++turns}`
    await create({ id, ...{ name: 'By keys', activities: [] } })
    await open(id)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      // Focus moves a frame later.
      if (keys.at(-1) === 'Escape')
        await page.waitForFunction(() => document.activeElement?.closest('[data-designer-canvas]') != null)
    }
    const edit = async (text: string) => {
      await press('Enter')
      await page.waitForFunction(() => document.activeElement?.closest('[data-inspector]') != null)
      await page.keyboard.type(text)
    }
    /** By pressing a key until the focus is there: nothing is focused from outside. */
    const reach = async (target: Locator, key: 'Tab' | 'Shift+Tab') => {
      const isThere = () => target.evaluate((element) => element === document.activeElement)
      for (let turn = 0; turn < 80 && !(await isThere()); turn += 1) await page.keyboard.press(key)
      expect(await isThere(), `${key} leads to ${target}`).toBe(true)
    }
    const addStep = async (words: string) => {
      await press('Tab')
      await page.getByRole('combobox', { name: 'Add a step' }).waitFor()
      await page.keyboard.type(words)
      await press('Enter')
    }
    await addStep('log')
    await edit('begun')
    await press('Escape')
    await addStep('delay')
    await edit('10ms')
    await press('Escape', 'F2')
    await page.keyboard.type('A short rest')
    await press('Escape', 'Escape')
    await addStep('transform')
    await press('ArrowUp')
    // Nothing is selected after Escape: the first arrow chooses the first step.
    await reach(page.getByRole('tab', { name: 'Outline' }), 'Shift+Tab')
    await press('Enter', 'Tab')
    await page.getByRole('treeitem', { name: 'transform' }).waitFor()
    await press('End')
    expect(await page.getByRole('treeitem', { name: 'transform' }).getAttribute('aria-selected')).toBe('true')
    await reach(page.locator('[data-designer-canvas]'), 'Tab')
    await edit('{"done": true}')
    await press('Escape')
    // The step stands alone: connect the rest to it.
    await step('delay').waitFor()
    await reach(page.getByRole('tab', { name: 'Outline' }), 'Shift+Tab')
    await press('Tab', 'Home', 'ArrowDown')
    await reach(page.locator('[data-designer-canvas]'), 'Tab')
    await press('c')
    await page.getByRole('combobox', { name: /^Connect A short rest to/ }).waitFor()
    await page.keyboard.type('transf')
    await press('Enter')
    await expect
      .poll(async () => (await draftOf(id)).connections)
      .toEqual([
        { from: 'log', to: 'delay' },
        { from: 'delay', to: 'transform' },
      ])
    await saveState('saved').waitFor()
    await reach(page.getByRole('button', { name: 'Publish', exact: true }), 'Shift+Tab')
    await press('Enter')
    const button = page.getByRole('dialog').getByRole('button', { name: /^Publish/ })
    await expect.poll(() => button.isEnabled()).toBe(true)
    await reach(button, 'Tab')
    await press('Enter')
    await expect.poll(() => publishedVersion(id)).toBe(1)
    const done = await studio.api('POST', '/workflow-instances', { definitionId: id, input: {}, wait: '30s' })
    expect(done.status).toBe('completed')
  })

  it('nests by mouse: into parts of containers, on their heads, and out again, each one step of undo', async () => {
    await create({ id: 'nests', ...{ activities: [] } })
    await open('nests')
    const drop = async (type: string, on: Locator, x: number, y: number) => {
      let targetPosition = { x: 0, y: 0 }
      // What was asked to show all may be on its way there.
      const stands = async (): Promise<boolean> => {
        const before = targetPosition
        const [box, whole] = [(await on.boundingBox())!, (await canvas().boundingBox())!]
        targetPosition = { x: box.x - whole.x + x, y: box.y - whole.y + y }
        const { x: right, y: down } = targetPosition
        return right === before.x && down === before.y && right < whole.width && down < whole.height
      }
      await expect.poll(stands).toBe(true)
      await page.locator(`[data-type="${type}"]`).first().dragTo(canvas(), { targetPosition })
    }
    const tree = async (): Promise<unknown> => {
      const shape = (activities: readonly Activity[]): unknown =>
        Object.fromEntries(
          activities.map(({ id, body, catch: caught, branches }) => [
            id,
            [body, caught, ...(branches ?? [])].flatMap((part) => (part ? [shape(part.activities)] : [])),
          ]),
        )
      return shape((await draftOf('nests')).activities)
    }
    await drop('try', canvas(), 300, 120)
    // Into the part of its own, though parts take no pointer.
    const parts = page.locator('[data-body]')
    await drop('parallel', parts.nth(1), 40, 60)
    await expect.poll(tree).toEqual({ try: [{}, { parallel: [{}, {}] }] })
    await page.keyboard.press('1')
    await page.locator('[data-body="parallel/branches:1"]').waitFor()
    await drop('for-each', page.locator('[data-body="parallel/branches:1"]'), 30, 40)
    await page.keyboard.press('1')
    await step('forEach').getByText('Drop a step here').waitFor()
    await drop('log', step('forEach'), 60, 50)
    await expect.poll(tree).toEqual({ try: [{}, { parallel: [{}, { forEach: [{ log: [] }] }] }] })
    // On the head of a container: the nearest of its parts.
    await drop('delay', step('try'), 60, 12)
    await expect.poll(tree).toEqual({ try: [{ delay: [] }, { parallel: [{}, { forEach: [{ log: [] }] }] }] })

    // The step inside is dragged out, past all that holds it.
    const whole = (await canvas().boundingBox())!
    const from = await middleOf(step('log'))
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x - 20, from.y, { steps: 3 })
    await page.mouse.move(whole.x + 40, whole.y + whole.height - 30, { steps: 6 })
    await page.mouse.up()
    await expect.poll(tree).toEqual({ try: [{ delay: [] }, { parallel: [{}, { forEach: [{}] }] }], log: [] })
    await page.keyboard.press('Control+z')
    await expect.poll(tree).toEqual({ try: [{ delay: [] }, { parallel: [{}, { forEach: [{ log: [] }] }] }] })
    for (let back = 0; back < 5; back++) await page.keyboard.press('Control+z')
    await expect.poll(tree).toEqual({})
    expect(faults).toEqual([])
  })

  it('E11 nests by keyboard only: into what is empty first, or where one says', async () => {
    await create({ id: 'nested-keys', ...{ activities: [] } })
    await open('nested-keys')
    const add = async (text: string, where?: string) => {
      await page.keyboard.press('Tab')
      const field = page.getByRole('combobox', { name: 'Add a step' })
      await field.waitFor()
      if (where !== undefined) {
        await page.keyboard.press('Shift+Tab')
        await page.keyboard.type(where)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
    }
    await canvas().focus()
    await add('log')
    await add('for each')
    await add('try')
    await add('http request')
    await page.keyboard.press('ArrowUp')
    await add('delay')
    // From the container: into its other part, and after it.
    await page.keyboard.press('Control+f')
    await page.keyboard.type('for each')
    await page.keyboard.press('Enter')
    await add('set output', 'After')
    await expect
      .poll(async () => (await draftOf('nested-keys')).activities)
      .toMatchObject([
        { id: 'log' },
        {
          id: 'forEach',
          body: {
            activities: [
              { id: 'try', body: { activities: [{ id: 'httpRequest' }] }, catch: { activities: [{ id: 'delay' }] } },
            ],
          },
        },
        { id: 'setOutput' },
      ])
    expect((await draftOf('nested-keys')).connections).toEqual([
      { from: 'log', to: 'forEach' },
      { from: 'forEach', to: 'setOutput' },
    ])
    // Nothing lies over another: each has its place at once.
    const tops = (await draftOf('nested-keys')).activities.map(
      ({ layout }: { layout: { position: { y: number } } }) => layout.position.y,
    )
    expect(tops[1]).toBeGreaterThan(tops[0])
    expect(tops[2]).toBeGreaterThan(tops[1] + 200)
    expect(faults).toEqual([])
  })
}
