import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import type { Sent } from './open-secured-api.ts'

/** Name, request, and the problems that it may get. */
export interface Hostile {
  readonly name: string
  readonly sent: Sent
  readonly codes: readonly string[]
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const many = (members: number): string => `{${Array.from({ length: members }, (_, each) => `"m${each}":1`).join(',')}}`

const JSON_FAULT = ['MALFORMED_JSON']
const TOO_COMPLEX = ['BODY_TOO_COMPLEX']
/** Of bodies that are no workflows: the level of the body itself and of its payload count. */
const [DEEPEST, MOST_MEMBERS] = [64, 50_000]
/** A body that says nothing sound to whoever reads it, whatever the route wants. */
const bodies: readonly (readonly [
  name: string,
  raw: string | Buffer,
  headers: Record<string, string>,
  codes: readonly string[],
])[] = [
  ['half a body', '{"a":', {}, JSON_FAULT],
  ['two bodies', '{} {}', {}, JSON_FAULT],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x7b]), {}, JSON_FAULT],
  ['__proto__', '{"__proto__":{"role":"admin"}}', {}, JSON_FAULT],
  ['__proto__ in disguise, deep', '{"a":[{"\\u005f\\u005fproto__":1}]}', {}, JSON_FAULT],
  ['constructor.prototype', '{"a":{"constructor":{"prototype":{"x":1}}}}', {}, JSON_FAULT],
  ['U+0000', '{"a":"\\u0000"}', {}, JSON_FAULT],
  ['half a surrogate pair', '{"a":"\\udfff"}', {}, JSON_FAULT],
  ['nesting without end', `{"a":${deep(20_000)}}`, {}, TOO_COMPLEX],
  ['text', '{}', { 'content-type': 'text/plain' }, ['UNSUPPORTED_MEDIA_TYPE']],
  ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, ['UNSUPPORTED_MEDIA_TYPE']],
  ['files', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }, ['UNSUPPORTED_MEDIA_TYPE']],
  [
    'a body in another charset',
    '{}',
    { 'content-type': 'application/json; charset=latin1' },
    ['UNSUPPORTED_MEDIA_TYPE'],
  ],
  ['a compressed body', '{}', { 'content-encoding': 'br' }, ['UNSUPPORTED_MEDIA_TYPE']],
]

const ghost: Readonly<Record<string, string>> = {
  'workflow-instances': 'wfi_01900000-0000-7000-8000-000000000000',
  incidents: 'inc_01900000-0000-7000-8000-000000000000',
  tasks: 'tsk_01900000-0000-7000-8000-000000000000',
  'human-tasks': 'hmt_01900000-0000-7000-8000-000000000000',
  'batch-operations': 'bop_01900000-0000-7000-8000-000000000000',
  'api-keys': 'key_01900000-0000-7000-8000-000000000000',
}
const filled = (path: string, id = ghost[path.split('/')[1]!] ?? 'ghost'): string =>
  path.replace(':id', id).replaceAll(/:\w+/g, '1')

const tricks: readonly (readonly [name: string, id: string])[] = [
  ['a zero', 'x%00'],
  ['a way up', '..%2f..%2fetc%2fpasswd'],
  ['SQL', "'%20or%20'1'='1"],
  ['markup', '%3Cscript%3E'],
  ['another script', '%F0%9F%92%A3%D8%A7'],
  ['far too much', 'a'.repeat(4_000)],
  ['a half escape', '%C3'],
]
/** Every way of saying that there is no such thing. */
const MISSING = ['BAD_REQUEST', 'INVALID_ID', 'INVALID_REQUEST', 'IF_MATCH_REQUIRED', 'NOT_FOUND', 'INVALID_LOCK_NAME']

const withBody = apiRoutes.filter(
  ({ body, bodyText, name }) => body !== undefined && bodyText === undefined && name !== 'openSession',
)
/** These make or show a thing under any name: a strange name is no fault. */
const namesAnything = new Set(['setLimit', 'deleteLimit', 'tripCircuitBreaker', 'resetCircuitBreaker'])
const withId = apiRoutes.filter(({ path, name }) => path.includes(':id') && !namesAnything.has(name))

export const hostileCorpus: readonly Hostile[] = [
  ...withBody.flatMap(({ method, path, name }) =>
    bodies.map(([what, raw, headers, codes]) => ({
      name: `${name} with ${what}`,
      sent: { method, path: filled(path), raw, headers },
      codes,
    })),
  ),
  ...withId.flatMap(({ method, path, name, body }) =>
    tricks.map(([what, id]) => ({
      name: `${name} of ${what}`,
      sent: {
        method,
        path: filled(path, id),
        ...(body === undefined ? {} : { raw: '{}' }),
        headers: { 'if-match': '"1"' },
      },
      // Outside of `cluster dev` no process can be ended from here, whatever it is called.
      codes: [...MISSING, '*_NOT_FOUND', '*_INVALID', 'NOT_DEV_CLUSTER'],
    })),
  ),
  ...apiRoutes
    .filter(({ stream }) => stream !== true)
    .map(({ method, path, name }) => ({
      name: `${name} with a query that it does not know`,
      sent: { method, path: `${filled(path)}?constructor=1&__proto__[x]=1`, raw: '{}' },
      codes: ['INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE', 'BAD_REQUEST'],
    })),
  {
    name: 'far too many members',
    sent: { method: 'POST', path: '/events', raw: `{"name":"x","payload":${many(60_000)}}` },
    codes: TOO_COMPLEX,
  },
  {
    name: 'one member too many',
    sent: { method: 'POST', path: '/events', raw: `{"name":"x","payload":${many(MOST_MEMBERS - 1)}}` },
    codes: TOO_COMPLEX,
  },
  {
    name: 'one level too many',
    sent: { method: 'POST', path: '/events', raw: `{"name":"x","payload":${deep(DEEPEST)}}` },
    codes: TOO_COMPLEX,
  },
  ...[
    ['just as many members as there may be', many(MOST_MEMBERS - 2)],
    ['just as many levels as there may be', deep(DEEPEST - 1)],
    ['colons and brackets that are only text', JSON.stringify('[{:'.repeat(MOST_MEMBERS))],
  ].map(([name, payload]) => ({
    // Sound, and refused for what it says: no event has such a field.
    name: `${name}`,
    sent: { method: 'POST' as const, path: '/events', raw: `{"name":"x","payloads":${payload}}` },
    codes: ['INVALID_REQUEST'],
  })),
  ...[399, 100_000].map((levels) => ({
    name: `a document with ${levels} levels`,
    sent: {
      method: 'POST' as const,
      path: '/workflow-definitions',
      raw: `{"id":"x","activities":[${deep(levels)}]}`,
    },
    codes: TOO_COMPLEX,
  })),
  {
    name: 'a document with just as many levels as there may be',
    sent: { method: 'PUT', path: '/workflow-definitions/x', raw: `{"id":"x","activities":[${deep(398)}]}` },
    codes: ['DEFINITION_INVALID'],
  },
  {
    name: 'a body without end',
    sent: { method: 'POST', path: '/events', raw: `{"name":"${'x'.repeat(1_300_000)}"}` },
    codes: ['BODY_TOO_LARGE'],
  },
]

/** Credentials that are none. Each is sent to a few routes, with a body that must not be read. */
export const hostileCredentials: Readonly<Record<string, Record<string, string>>> = {
  nothing: {},
  'an empty header': { authorization: '' },
  'a scheme that is not ours': { authorization: 'Basic YWRtaW46YWRtaW4=' },
  'no token': { authorization: 'Bearer ' },
  'two tokens': { authorization: 'Bearer a b' },
  'a key of zeros': { authorization: `Bearer lsk_${'0'.repeat(32)}_${'A'.repeat(43)}` },
  'a key that is too long': { authorization: `Bearer lsk_${'0'.repeat(32)}_${'A'.repeat(9_000)}` },
  'a key with SQL': { authorization: "Bearer lsk_' or 1=1 --" },
  'a token without a signature': { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' },
  'a cookie of zeros': { cookie: `lockstep-session=${'0'.repeat(43)}` },
  'a cookie that is too long': { cookie: `lockstep-session=${'0'.repeat(4_000)}` },
  'many cookies': { cookie: Array.from({ length: 50 }, () => 'lockstep-session=x').join('; ') },
  'the word of a proxy': { 'x-forwarded-user': 'admin', 'x-forwarded-for': '127.0.0.1', 'x-remote-user': 'admin' },
  'another method in a header': { 'x-http-method-override': 'DELETE' },
}
