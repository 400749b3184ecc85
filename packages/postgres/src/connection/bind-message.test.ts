/** What the driver itself would write, message by message. */
import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import pg from 'pg'
import { expect, it } from 'vitest'
import { runMessage, type WireValue } from './bind-message.ts'

interface Driver {
  bind(options: object): void
  describe(options: object): void
  execute(): void
  sync(): void
}

function byTheDriver(statement: string, values: readonly WireValue[], describe: boolean): Buffer {
  const written: Buffer[] = []
  const stream = Object.assign(new EventEmitter(), { writable: true, write: (data: Buffer) => written.push(data) })
  const driver = new pg.Connection({ stream: stream as never }) as unknown as Driver
  driver.bind({ statement, values: values.map((each) => (each instanceof Uint8Array ? Buffer.from(each) : each)) })
  if (describe) driver.describe({ type: 'P', name: '' })
  driver.execute()
  driver.sync()
  return Buffer.concat(written)
}

const value = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.uint8Array({ maxLength: 300 }),
)

it('is to the byte what the driver writes', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 60 }),
      fc.array(value, { maxLength: 40 }),
      fc.boolean(),
      (name, values, describe) => {
        const statement = name.replaceAll('\0', '')
        expect(runMessage(statement, values, describe).equals(byTheDriver(statement, values, describe))).toBe(true)
      },
    ),
  )
})

it('takes values far larger than a page of memory', () => {
  const values = ['ä'.repeat(1_000_000), new Uint8Array(300_000).fill(7), null, '']
  expect(runMessage('large', values, true).equals(byTheDriver('large', values, true))).toBe(true)
})
