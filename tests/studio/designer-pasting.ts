import { expect, it } from 'vitest'
import { canvas, create, draftOf, newPage, open, page, saveState, step } from './designer-site.ts'

/** What is copied: beside what is there, and into another workflow. */
export function pasting(): void {
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
}
