import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statement } from '../../src/index.ts'
import type { Contract } from '../db-contract.ts'

const literals = statement<undefined, Record<string, unknown>>(
  'contract_literals',
  () => [],
  `select 7::int2 as small, 8::int4 as plain, 9007199254740993::int8 as big, 1.10::numeric as exact, 0.5::float8 as real,
          true as yes, 'é"\\'::text as words, '0b4f3a3e-6a52-4a5e-9a55-0a3f0e6c2d11'::uuid as id,
          '2024-02-29 12:34:56.789123+02'::timestamptz as at, 'infinity'::timestamptz as never, '-infinity'::timestamptz as always,
          '0044-03-15 00:00:00+00 BC'::timestamptz as ides, '{"a": [1, null, "x"]}'::jsonb as doc, 'null'::jsonb as json_null,
          '[1]'::json as old_json, '\\x00ff10'::bytea as bytes, null::text as nothing, '1 day 2 hours'::interval as span,
          '2024-02-29'::date as day`,
  { readOnly: true },
)

const lists = statement<undefined, Record<string, unknown>>(
  'contract_lists',
  () => [],
  `select array['a', null, 'NULL', '', 'b,c', '{d}', 'e"f', 'g\\h', ' i '] as texts, array[1, null]::int8[] as bigs, array[1, 2]::int4[] as plains,
          array['0b4f3a3e-6a52-4a5e-9a55-0a3f0e6c2d11']::uuid[] as ids, '{}'::text[] as none, array[array[1, 2], array[3, 4]] as grid,
          array['{"a":1}', '[]']::jsonb[] as docs, array['\\x01', '\\x']::bytea[] as blobs, array[true, false] as flags,
          array['2024-01-01 00:00:00+00', 'infinity']::timestamptz[] as instants, '[2:3]={5,6}'::int4[] as bounded`,
  { readOnly: true },
)

interface Everything {
  readonly text: string
  readonly big: bigint
  readonly whole: number
  readonly real: number
  readonly flag: boolean
  readonly at: Date
  readonly bytes: Uint8Array
  readonly doc: string
  readonly texts: readonly (string | null)[]
  readonly bigs: readonly bigint[]
  readonly instants: readonly Date[]
  readonly blobs: readonly Uint8Array[]
  readonly docs: readonly string[]
  readonly flags: readonly boolean[]
}

const echo = statement<Everything, Record<string, unknown>>(
  'contract_echo',
  (p) => [
    p.text,
    p.big,
    p.whole,
    p.real,
    p.flag,
    p.at,
    p.bytes,
    p.doc,
    p.texts,
    p.bigs,
    p.instants,
    p.blobs,
    p.docs,
    p.flags,
    undefined,
  ],
  `select $1::text as text, $2::int8 as big, $3::int4 as whole, $4::float8 as real, $5::boolean as flag, $6::timestamptz as at,
          $7::bytea as bytes, $8::jsonb as doc, $9::text[] as texts, $10::int8[] as bigs, $11::timestamptz[] as instants,
          $12::bytea[] as blobs, $13::jsonb[] as docs, $14::boolean[] as flags, $15::text as nothing`,
  { readOnly: true },
)

const echoTexts = statement<readonly string[], { texts: string[]; count: string }>(
  'contract_echo_texts',
  (texts) => [texts],
  `select $1::text[] as texts, cardinality($1::text[])::int8 as count`,
  { readOnly: true },
)

const echoRows = statement<{ ids: readonly bigint[]; docs: readonly string[] }, { id: string; doc: unknown }>(
  'contract_echo_rows',
  (p) => [p.ids, p.docs],
  `select id, doc from unnest($1::int8[], $2::jsonb[]) as item (id, doc)`,
  { readOnly: true },
)

export function valueContract(contract: Contract): void {
  describe('values', () => {
    it('reads every kind of value in its one form', async () => {
      expect(await contract.db.one(literals)).toEqual({
        small: 7,
        plain: 8,
        big: '9007199254740993',
        exact: '1.10',
        real: 0.5,
        yes: true,
        words: 'é"\\',
        id: '0b4f3a3e-6a52-4a5e-9a55-0a3f0e6c2d11',
        at: Date.UTC(2024, 1, 29, 10, 34, 56, 789),
        never: Number.POSITIVE_INFINITY,
        always: Number.NEGATIVE_INFINITY,
        ides: Date.parse('-000043-03-15T00:00:00Z'),
        doc: { a: [1, null, 'x'] },
        json_null: null,
        old_json: [1],
        bytes: Buffer.from([0, 255, 16]),
        nothing: null,
        span: 'P1DT2H',
        day: '2024-02-29',
      })
    })

    it('reads lists of values, empty, nested and with awkward members', async () => {
      expect(await contract.db.one(lists)).toEqual({
        texts: ['a', null, 'NULL', '', 'b,c', '{d}', 'e"f', 'g\\h', ' i '],
        bigs: ['1', null],
        plains: [1, 2],
        ids: ['0b4f3a3e-6a52-4a5e-9a55-0a3f0e6c2d11'],
        none: [],
        grid: [
          [1, 2],
          [3, 4],
        ],
        docs: [{ a: 1 }, []],
        blobs: [Buffer.from([1]), Buffer.from([])],
        flags: [true, false],
        instants: [Date.UTC(2024, 0, 1), Number.POSITIVE_INFINITY],
        bounded: [5, 6],
      })
    })

    it('gives back every parameter as it was given', async () => {
      const at = new Date(Date.UTC(2026, 10, 15, 1, 2, 3, 4))
      const given: Everything = {
        text: 'it\'s {"quoted"} \\ and\nnew',
        big: 2n ** 62n,
        whole: -5,
        real: 1e-7,
        flag: false,
        at,
        bytes: Uint8Array.from([1, 2, 0, 255]),
        doc: JSON.stringify({ list: ['a'] }),
        texts: ['', 'NULL', null, '"', '\\', '{}', ','],
        bigs: [-1n, 2n ** 60n],
        instants: [at],
        blobs: [Uint8Array.from([0x5c, 0x78]), new Uint8Array(0)],
        docs: ['{"a":"\\"\\\\"}', 'null'],
        flags: [true],
      }
      expect(await contract.db.one(echo, given)).toEqual({
        ...given,
        big: String(2n ** 62n),
        at: at.getTime(),
        bytes: Buffer.from(given.bytes),
        doc: { list: ['a'] },
        bigs: ['-1', String(2n ** 60n)],
        instants: [at.getTime()],
        blobs: given.blobs.map((blob) => Buffer.from(blob)),
        docs: [{ a: '"\\' }, null],
        nothing: null,
      })
    })

    it('gives back any list of texts', async () => {
      // PostgreSQL cannot store NUL in text.
      const storable = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
      await fc.assert(
        fc.asyncProperty(fc.array(storable, { maxLength: 20 }), async (texts) => {
          expect(await contract.db.one(echoTexts, texts)).toEqual({ texts, count: String(texts.length) })
        }),
        { numRuns: 200 },
      )
    })

    it('takes thousands of rows through one statement', async () => {
      const ids = Array.from({ length: 5_000 }, (_, index) => BigInt(index))
      const docs = ids.map((id) => JSON.stringify({ id: Number(id), text: `"${id}"` }))
      const rows = await contract.db.many(echoRows, { ids, docs })
      expect(rows).toHaveLength(5_000)
      expect(rows[4_999]).toEqual({ id: '4999', doc: { id: 4_999, text: '"4999"' } })
    })

    it('refuses a parameter that could mean two things', async () => {
      const wrong = statement<unknown, never>('contract_wrong', (value) => [value], 'select $1::jsonb')
      await expect(async () => contract.db.many(wrong, { a: 1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    })
  })
}
