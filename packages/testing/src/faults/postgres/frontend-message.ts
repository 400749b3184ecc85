/** What the client says, as far as faults care. */
export type FrontendMessage =
  | { readonly type: 'query'; readonly sql: string }
  | { readonly type: 'parse'; readonly name: string; readonly sql: string }
  | { readonly type: 'bind'; readonly portal: string; readonly statement: string }
  | { readonly type: 'describe' }
  | { readonly type: 'execute'; readonly portal: string }
  | { readonly type: 'close'; readonly of: 'statement' | 'portal'; readonly name: string }
  | { readonly type: 'sync' }
  | { readonly type: 'function-call' }
  | { readonly type: 'copy-end' }
  /** Nothing that the server answers on its own: Flush, CopyData, password, Terminate. */
  | { readonly type: 'other' }

/** The first message of a connection has no type byte. */
export type StartupMessage = 'startup' | 'encryption-request' | 'cancel-request'

/** The server refuses longer ones; a TLS greeting read as a length is far above. */
const LONGEST_STARTUP_BYTES = 10_000
const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103
const GSSENC_REQUEST = 80_877_104

export function measureStartup(bytes: Buffer): number {
  if (bytes.length < 4) return 4
  const length = bytes.readUInt32BE(0)
  return length < 8 || length > LONGEST_STARTUP_BYTES ? Number.NaN : length
}

export function readStartup(message: Buffer): StartupMessage {
  const code = message.readUInt32BE(4)
  if (code === CANCEL_REQUEST) return 'cancel-request'
  return code === SSL_REQUEST || code === GSSENC_REQUEST ? 'encryption-request' : 'startup'
}

/** One type byte, then a length that counts itself: the same in both directions. */
export function measureMessage(bytes: Buffer): number {
  if (bytes.length < 5) return 5
  const length = bytes.readUInt32BE(1)
  return length < 4 ? Number.NaN : length + 1
}

export function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0] ?? 0)
}

export function readFrontend(message: Buffer): FrontendMessage {
  switch (typeOf(message)) {
    case 'Q':
      return { type: 'query', sql: text(message, 5).value }
    case 'P': {
      const name = text(message, 5)
      return { type: 'parse', name: name.value, sql: text(message, name.end).value }
    }
    case 'B': {
      const portal = text(message, 5)
      return { type: 'bind', portal: portal.value, statement: text(message, portal.end).value }
    }
    case 'D':
      return { type: 'describe' }
    case 'E':
      return { type: 'execute', portal: text(message, 5).value }
    case 'C':
      return { type: 'close', of: message[5] === 0x53 ? 'statement' : 'portal', name: text(message, 6).value }
    case 'S':
      return { type: 'sync' }
    case 'F':
      return { type: 'function-call' }
    case 'c':
    case 'f':
      return { type: 'copy-end' }
    default:
      return { type: 'other' }
  }
}

/** A zero-terminated string and where the next field begins. */
export function text(message: Buffer, from: number): { readonly value: string; readonly end: number } {
  const zero = message.indexOf(0, from)
  const stop = zero === -1 ? message.length : zero
  return { value: message.toString('utf8', from, stop), end: stop + 1 }
}
