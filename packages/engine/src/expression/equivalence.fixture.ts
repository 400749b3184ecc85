// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are expressions
// Random expressions of the subset over random data, for the comparison of the two engines. Kinds are mixed on purpose:
// most of what differs between engines is in conversions.

import fc from 'fast-check'
import type { ExpressionScope } from './scope.ts'

const numbers = fc.oneof(
  fc.integer({ min: -10, max: 40 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `(${String(value)})`),
  fc.constantFrom(
    ...['0', '(-0)', '0.1', '1e21', '1e-7', '123456789012345680000', '5e-324', '1.7976931348623157e308', '4294967296'],
    ...[
      '2147483648',
      '(-2147483649)',
      '9007199254740993',
      'NaN',
      'Infinity',
      '(-Infinity)',
      '0x1F',
      '1_000',
      '.5',
      '2.5',
    ],
    ...[
      '(-2.5)',
      '0.5',
      '(-0.5)',
      '1.005',
      '1234.5678',
      '0b101',
      'Math.PI',
      'Number.MAX_SAFE_INTEGER',
      'Number.EPSILON',
    ],
  ),
)

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map(quoted),
  fc.string({ unit: fc.constantFrom(...'aAbB ,-é ßŉİıµΣςǅ𝒳😀$&x0'), maxLength: 8 }).map(quoted),
  fc.constantFrom(
    ...[
      '""',
      '" "',
      '"12"',
      '" 7\\n"',
      '"0x1f"',
      '"1e3"',
      '"-0"',
      '"Infinity"',
      '"1_0"',
      '"12px"',
      '".5."',
      '"\\ufeff3"',
    ],
    ...[
      '"\\ud83d"',
      '"\\u2028"',
      '"a,b,,c"',
      '"null"',
      '"toString"',
      '"__proto__"',
      '"constructor"',
      '"length"',
      '"0"',
      '"a"',
    ],
    ...[
      '"b"',
      '"list"',
      '"01"',
      '"[1,2]"',
      '"{\\"a\\":-0}"',
      '"[1,]"',
      '"1e999"',
      '"\\t{}"',
      '"$&"',
      '"true"',
      '"\\u00a0x\\u00a0"',
    ],
  ),
)

const scalars = fc.constantFrom('true', 'false', 'null', 'undefined')
const names = [
  'a',
  'b',
  's',
  'n',
  'list',
  'obj',
  'length',
  'name',
  'toString',
  'constructor',
  '__proto__',
  'valueOf',
  'map',
]
const roots = fc.constantFrom(
  ...['input', 'input.a', 'input.b', 'input.s', 'input.n', 'input.list', 'input.obj', 'vars', 'vars.a', 'vars.list'],
  ...[
    'steps.one.output',
    'steps.none',
    'item',
    'index',
    'error',
    'correlationId',
    'v',
    'k',
    'input.obj.a',
    'input.list[0]',
  ],
)

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** `v` and `k` are the parameters of the innermost function. */
const open: fc.Arbitrary<string> = fc.letrec<Record<'any' | 'number' | 'text' | 'list' | 'object' | 'truth', string>>(
  (tie) => {
    const any = tie('any')
    const number = fc.oneof({ weight: 5, arbitrary: tie('number') }, { weight: 1, arbitrary: any })
    const text = fc.oneof({ weight: 5, arbitrary: tie('text') }, { weight: 1, arbitrary: any })
    const list = fc.oneof({ weight: 6, arbitrary: tie('list') }, { weight: 1, arbitrary: any })
    const body = fc.oneof(
      any,
      number,
      text,
      list,
      tie('truth'),
      fc.constantFrom('v', 'k', 'v.a', '`${k}${v}`', 'v + k'),
    )
    const callback = fc.oneof(
      fc
        .tuple(fc.constantFrom('v', '(v)', '(v, k)', '(k, v)', '(_, k, v)', '()'), body)
        .map(([head, tail]) => `${head} => (${tail})`),
      fc.constantFrom('Boolean', 'String', 'Number'),
    )
    const args = fc.array(fc.oneof(number, text, any), { maxLength: 2 }).map((parts) => parts.join(', '))
    const binary = fc.constantFrom(...'+ - * / % & | ^ << >> >>>'.split(' '))
    const compare = fc.constantFrom(...'== != === !== < <= > >='.split(' '))
    const pick = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
    const cat = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
      fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''))
    const element = fc.oneof({ weight: 4, arbitrary: any }, { weight: 1, arbitrary: cat('...', list) })
    const member = fc.oneof(
      cat(pick(...names.filter((name) => name !== '__proto__'), '"x y"', '0', '10', '2'), ': ', any),
      cat('[', any, ']: ', any),
      cat('...', fc.oneof(tie('object'), any)),
      pick('input', 'vars', 'index'),
    )
    return {
      any: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'any' },
        roots,
        numbers,
        texts,
        scalars,
        tie('number'),
        tie('text'),
        tie('list'),
        tie('object'),
        tie('truth'),
        cat('(', any, ' ? ', any, ' : ', any, ')'),
        cat('(', any, pick(' || ', ' && '), any, ')'),
        cat('(', any, ' ?? ', any, ')'),
        cat('(', any, ')', pick('.', '?.'), pick(...names)),
        cat('(', any, ')', pick('', '?.'), '[', any, ']'),
        cat('(', any, ')?.', pick(...names), '.', pick(...names), pick('', '.slice(1)', '.map(v => v)')),
        cat('(', list, ')', pick('.', '?.'), pick('find', 'findLast'), '(', callback, ')'),
        cat(
          '(',
          list,
          ').',
          pick('reduce', 'reduceRight'),
          '((v, k) => (',
          body,
          ')',
          fc.oneof(fc.constant(''), cat(', ', any)),
          ')',
        ),
        cat('(', list, ').at(', number, ')'),
        cat('JSON.parse(', text, ')'),
        cat('(', any, ', ', any, ')'),
        cat('(', any, ')', pick('.trim()', '.map(v => v)', '.toFixed(1)', '.toString()', '?.slice(1)', '.join()')),
      ),
      number: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'number' },
        numbers,
        numbers,
        pick('index', 'input.n', 'input.list.length', 'k'),
        cat('(', number, ' ', binary, ' ', number, ')'),
        cat('(', pick('-', '+', '~'), ' ', any, ')'),
        cat('Math.', pick('abs', 'ceil', 'floor', 'round', 'sign', 'sqrt', 'trunc'), '(', number, ')'),
        cat('Math.', pick('max', 'min'), '(', args, ')'),
        cat('Math.', pick('max', 'min'), '(...', list, ')'),
        cat(pick('Number', 'parseFloat', 'parseInt', 'Number.parseInt', 'Number.parseFloat'), '(', any, ')'),
        cat('parseInt(', text, ', ', number, ')'),
        cat('(', text, ').', pick('indexOf', 'lastIndexOf', 'charCodeAt', 'codePointAt'), '(', any, ')'),
        cat('(', list, ').', pick('indexOf', 'lastIndexOf'), '(', any, ')'),
        cat('(', list, ').', pick('findIndex', 'findLastIndex'), '(', callback, ')'),
        cat('(', fc.oneof(text, list), ').length'),
      ),
      text: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'text' },
        texts,
        texts,
        pick('input.s', 'vars.a', 'v'),
        cat('(', any, ' + ', text, ')'),
        cat('`', pick('', 'x', '\\n', '\\u{1F600}', '$'), '${', any, '}', pick('', '-'), '${', any, '}`'),
        cat('String(', any, ')'),
        cat('(', number, ').toFixed(', pick('', '0', '1', '2', '20', '-1', '101', '"2"'), ')'),
        cat('(', text, ').', pick('toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'toString'), '()'),
        cat(
          '(',
          text,
          ').',
          pick('slice', 'substring', 'padStart', 'padEnd', 'replace', 'replaceAll', 'concat'),
          '(',
          args,
          ')',
        ),
        cat('(', text, ').', pick('at', 'charAt', 'repeat'), '(', number, ')'),
        cat('(', list, ').join(', fc.oneof(fc.constant(''), text), ')'),
        cat('typeof (', any, ')'),
        cat('JSON.stringify(', any, ')'),
      ),
      list: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'list' },
        pick('input.list', 'vars.list', 'steps.one.output'),
        fc.array(element, { maxLength: 4 }).map((parts) => `[${parts.join(', ')}]`),
        cat('(', list, ')', pick('.', '?.'), pick('map', 'filter', 'flatMap'), '(', callback, ')'),
        cat('(', list, ').', pick('slice', 'concat', 'flat', 'toReversed'), '(', args, ')'),
        cat('(', text, ').split(', fc.oneof(fc.constant(''), text), ')'),
        cat('Object.', pick('keys', 'values', 'entries'), '(', any, ')'),
        cat('[...', text, ']'),
      ),
      object: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'object' },
        pick('input.obj', 'vars', 'input'),
        fc.array(member, { maxLength: 3 }).map((parts) => `({ ${parts.join(', ')} })`),
        cat(
          'Object.fromEntries(',
          fc.oneof(cat('Object.entries(', any, ')'), cat('(', list, ').map((v, k) => [', any, ', ', any, '])'), list),
          ')',
        ),
      ),
      truth: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'truth' },
        scalars,
        cat('(', any, ' ', compare, ' ', any, ')'),
        cat('(', number, ' ', compare, ' ', number, ')'),
        cat('(', text, ' ', compare, ' ', any, ')'),
        cat('!', any),
        cat('(', any, ' in ', fc.oneof(tie('object'), tie('list')), ')'),
        cat('(', text, ').', pick('includes', 'startsWith', 'endsWith'), '(', args, ')'),
        cat('(', list, ').includes(', any, ')'),
        cat('(', list, ').', pick('some', 'every'), '(', callback, ')'),
        cat(
          pick('Array.isArray', 'Number.isInteger', 'Number.isNaN', 'Number.isFinite', 'isNaN', 'isFinite', 'Boolean'),
          '(',
          any,
          ')',
        ),
      ),
    }
  },
).any

export const expressions = open.map((text) => (/\b[vk]\b/.test(text) ? `[input.a].map((v, k) => (${text}))[0]` : text))

const values = fc.oneof(
  fc.integer({ min: -5, max: 50 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    '0',
    '12',
    'a',
    'toString',
    'é😀',
    ' x ',
    -0,
    0.1,
    1e21,
    [],
    {},
    [1, [2, [3]]],
    'a,b',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.object({
    maxDepth: 2,
    key: fc.constantFrom(...names, '0', '1', '4294967295'),
    withBigInt: false,
    values: [fc.integer(), fc.boolean(), fc.constant(null)],
  }),
  fc.array(fc.oneof(fc.integer({ min: -3, max: 9 }), fc.constantFrom<unknown>('x', null, [1], { a: 2 }, true)), {
    maxLength: 4,
  }),
)

/** JSON, but for the sign of some zeros. */
export const scopes: fc.Arbitrary<ExpressionScope> = fc.record(
  {
    input: fc.record({
      a: values,
      b: values,
      s: fc.string({ maxLength: 6 }),
      n: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      list: fc.array(values, { maxLength: 5 }),
      obj: fc.dictionary(fc.constantFrom(...names, '1', '0'), values, { maxKeys: 4 }),
    }),
    vars: fc.record({ a: values, list: fc.array(values, { maxLength: 3 }) }),
    steps: fc.record({ one: fc.record({ output: values }) }),
    item: values,
    index: fc.nat(5),
    error: fc.record({ message: fc.string() }),
    correlationId: fc.constantFrom('c-1', null),
  },
  { requiredKeys: ['input', 'vars', 'steps'] },
) as fc.Arbitrary<ExpressionScope>
