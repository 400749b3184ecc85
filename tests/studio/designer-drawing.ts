import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  canvas,
  create,
  D,
  draftOf,
  drag,
  faults,
  go,
  messageField,
  middleOf,
  newPage,
  open,
  ownPage,
  page,
  picture,
  publish,
  publishedVersion,
  ready,
  saveAs,
  saveState,
  step,
  studio,
} from './designer-site.ts'
import { large, saga } from './designer-workflows.ts'
import { seriousFaults, seriousFaultsInBoth } from './serious-faults.ts'

const NOTE = [
  '# Each step undoes itself',
  'when a **later** one fails, see [sagas](https://example.org/sagas):',
  '- one\n- two\n',
].join('\n')
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> [out](javascript:window.hacked=1)'

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

export function drawing(): void {
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

  it('puts what is pasted beside what is there, as one step of undo', async () => {
    const at = (y: number) => ({ layout: { position: { x: 0, y } } })
    const activities = [
      { id: 'first', type: 'log', inputs: { message: 'a' }, ...at(0) },
      { id: 'each', type: 'for-each', inputs: { items: [] }, body: { activities: [] }, ...at(114) },
    ]
    await create({ id: 'pasted-beside', ...{ activities } })
    await open('pasted-beside')
    const count = async () => (await draftOf('pasted-beside')).activities.length
    const before = await count()
    await canvas().focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    await page.keyboard.press('Control+v')
    await expect.poll(count).toBe(2 * before)
    const boxes = (await draftOf('pasted-beside')).activities.map(
      ({ layout }: { layout?: { position: { x: number } } }) => layout?.position.x ?? 0,
    )
    // Right of the container, which is wider than a step.
    expect(Math.min(...boxes.slice(before))).toBeGreaterThan(232)
    await page.keyboard.press('Control+z')
    await expect.poll(count).toBe(before)
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
    await expect.poll(text).toContain('"position"')
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
    /** One change that undo knows of, seen in the draft before the next. */
    const change = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
      await expect.poll(text).not.toBe(stages.at(-1))
      await saveState('saved').waitFor()
      stages.push(await text())
    }
    for (const [turn, name] of names.entries()) {
      await step(name).click()
      await canvas().focus()
      for (const key of ['d', 'Alt+ArrowRight', 'Alt+ArrowDown', 'Alt+ArrowLeft', 'Control+d']) await change(key)
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
    /** Every stop on the way is a stage, and none comes twice; moves of one moment are one step. */
    const walk = async (keys: string, from: number, to: number): Promise<number> => {
      let [at, steps] = [from, 0]
      while (at !== to) {
        await page.keyboard.press(keys)
        await expect.poll(text).not.toBe(stages[at])
        const now = await text()
        const next = to < from ? stages.lastIndexOf(now, at - 1) : stages.indexOf(now, at + 1)
        expect(next, `what ${keys} leads to was there before`).not.toBe(-1)
        ;[at, steps] = [next, steps + 1]
      }
      return steps
    }
    const steps = await walk('Control+z', 30, 0)
    expect(steps).toBeGreaterThan(20)
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true)
    expect(await walk('Control+Shift+z', 0, 30)).toBe(steps)
    expect(await page.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(true)
  })

  it('E14 pastes steps into another workflow in another tab, with new ids, lines and references', async () => {
    const document = (id: string) => ({
      id,
      activities: [
        { id: 'first', type: 'transform', inputs: { value: 1 } },
        { id: 'second', type: 'transform', inputs: { value: { $expr: 'steps.first.output + 1' } } },
        { id: 'third', type: 'log', inputs: { message: { $expr: 'String(steps.second.output)' } } },
      ],
      connections: [
        { from: 'first', to: 'second' },
        { from: 'second', to: 'third' },
      ],
    })
    await create(document('copy-a'))
    await create(document('copy-b'))
    await open('copy-a')
    await canvas().focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    const other = await newPage()
    await open('copy-b', other)
    await other.getByTestId('design-canvas').focus()
    await other.keyboard.press('Control+v')
    await step('third2', other).waitFor()
    await saveState('saved', other).waitFor()
    const { activities, connections } = await draftOf('copy-b')
    const plain = activities.map(({ layout: _, ...rest }: Record<string, unknown>) => rest)
    expect(plain.slice(3)).toEqual([
      { id: 'first2', type: 'transform', inputs: { value: 1 } },
      { id: 'second2', type: 'transform', inputs: { value: { $expr: 'steps.first2.output + 1' } } },
      { id: 'third2', type: 'log', inputs: { message: { $expr: 'String(steps.second2.output)' } } },
    ])
    expect(connections.slice(2)).toEqual([
      { from: 'first2', to: 'second2' },
      { from: 'second2', to: 'third2' },
    ])
  })

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
