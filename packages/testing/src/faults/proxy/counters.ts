/** What a proxy has seen and done since it started. A run whose fault never landed proves nothing: assert on these. */
export interface Counters {
  /** Connections accepted from clients. */
  accepted: number
  /** Times the port was shut, each proven by a probe that got ECONNREFUSED. The refused clients themselves leave no trace here. */
  refused: number
  /** Connections ended by a fault or by `dropConnections`, after what was under way had been flushed. */
  cut: number
  /** Connections ended by RST. */
  resets: number
  /** Connections whose target could not be reached. */
  upstreamErrors: number
  /** Bytes handed to the server. */
  bytesUp: number
  /** Bytes handed to the client. */
  bytesDown: number
  /** Bytes that `oneWay` made vanish, both directions. */
  bytesVanished: number
  /** Connections whose bytes could not be read as the declared protocol (TLS, for one); they pass unexamined. */
  opaque: number
  /** Statements or commands understood, matched or not. */
  requestsSeen: number
  /** Requests that a protocol-aware fault picked. */
  matched: number
  commitsSeen: number
  /** Commits whose connection was cut, before or after the server got them. */
  commitsCut: number
}

export function newCounters(): Counters {
  return {
    accepted: 0,
    refused: 0,
    cut: 0,
    resets: 0,
    upstreamErrors: 0,
    bytesUp: 0,
    bytesDown: 0,
    bytesVanished: 0,
    opaque: 0,
    requestsSeen: 0,
    matched: 0,
    commitsSeen: 0,
    commitsCut: 0,
  }
}
