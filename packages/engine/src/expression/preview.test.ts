// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions

import { silentLogger, systemClock } from '@lockstep/base'
import { afterAll, describe, expect, it } from 'vitest'
import { PREVIEW_SOURCE_LENGTH, SOURCE_LENGTH } from './limits.ts'
import { ExpressionPreview } from './preview.ts'

const preview = new ExpressionPreview({ clock: systemClock, logger: silentLogger, outputBytes: 256 * 1024 })
const scope = { input: { a: 1 }, vars: {}, steps: {} }
afterAll(() => preview.close())

/** What a viewer kept a node busy with. */
const parts = (length: number) => `\`${'${1}'.repeat((length - 2) / 4)}\``.padEnd(length)

describe('a preview', () => {
  it('answers, or says where the expression cannot be read', async () => {
    expect(await preview.evaluate('input.a + 1', scope)).toEqual({ status: 'value', value: 2 })
    expect(await preview.evaluate('input.\n+', scope)).toMatchObject({ status: 'invalid', line: 2, column: 1 })
  })

  it('reads a source up to its limit', async () => {
    expect(await preview.evaluate(parts(PREVIEW_SOURCE_LENGTH), scope)).toMatchObject({ status: 'value' })
  })

  it.each([PREVIEW_SOURCE_LENGTH + 1, SOURCE_LENGTH])(
    'does not read %i characters, and names its limit',
    async (length) => {
      expect(await preview.evaluate(parts(length), scope)).toEqual({
        status: 'invalid',
        message: 'it is longer than 8192 characters, which is what a preview may have',
        line: 1,
        column: 1,
      })
    },
  )
})
