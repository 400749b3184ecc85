/** PostgreSQL messages built by hand, by the protocol's documentation and not by the code under test. */

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const zero = Buffer.from([0])
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
const str = (value: string): Buffer => Buffer.concat([Buffer.from(value), zero])

function message(type: string, ...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function untyped(...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields)
  return Buffer.concat([int32(body.length + 4), body])
}

export const client = {
  startup: untyped(int32(196_608), str('user'), str('postgres'), zero),
  sslRequest: untyped(int32(80_877_103)),
  gssRequest: untyped(int32(80_877_104)),
  query: (sql: string) => message('Q', str(sql)),
  parse: (name: string, sql: string) => message('P', str(name), str(sql), int16(0)),
  bind: (portal: string, statement: string) => message('B', str(portal), str(statement), int16(0), int16(0), int16(0)),
  describePortal: (portal: string) => message('D', Buffer.from('P'), str(portal)),
  describeStatement: (name: string) => message('D', Buffer.from('S'), str(name)),
  execute: (portal: string) => message('E', str(portal), int32(0)),
  closeStatement: (name: string) => message('C', Buffer.from('S'), str(name)),
  sync: message('S'),
  flush: message('H'),
  copyData: (data: string) => message('d', Buffer.from(data)),
  copyDone: message('c'),
  terminate: message('X'),
}

export const server = {
  authenticationOk: message('R', int32(0)),
  ready: (status: 'I' | 'T' | 'E' = 'I') => message('Z', Buffer.from(status)),
  parseComplete: message('1'),
  bindComplete: message('2'),
  closeComplete: message('3'),
  noData: message('n'),
  parameterDescription: message('t', int16(0)),
  rowDescription: message('T', int16(0)),
  dataRow: (value: string) => message('D', int16(1), int32(value.length), Buffer.from(value)),
  complete: (tag: string) => message('C', str(tag)),
  emptyQuery: message('I'),
  suspended: message('s'),
  copyIn: message('G', Buffer.from([0]), int16(0)),
  error: (sqlState: string) =>
    message('E', Buffer.from('S'), str('ERROR'), Buffer.from('C'), str(sqlState), Buffer.from('M'), str('no'), zero),
  notice: message('N', Buffer.from('S'), str('NOTICE'), Buffer.from('C'), str('00000'), zero),
  notification: message('A', int32(1), str('channel'), str('payload')),
  parameterStatus: message('S', str('TimeZone'), str('UTC')),
}

/** A login without encryption, as the first turn of any conversation. */
export const login = [
  { request: client.startup },
  { reply: Buffer.concat([server.authenticationOk, server.parameterStatus, server.ready()]) },
]
