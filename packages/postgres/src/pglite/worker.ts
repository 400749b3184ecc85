// Runs PGlite away from the event loop of the process: a statement blocks this thread until it is done.
//
// There is one session. The host attaches to it under a rising epoch number; attaching rolls back whatever the epoch
// before left open and forgets its prepared statements, so that to the host it looks like a new connection.
// Everything else is the wire protocol, in and out, which PGlite speaks as a server does.

import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { openFolder } from './open-folder.ts'
import { readSnapshot } from './snapshot.ts'
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts'

/** Answers leave after so many statements or bytes, while the rest of a long batch is still at work. */
const PIECE_COUNT = 16
const PIECE_BYTES = 64 * 1024

const port = parentPort
if (port === null) throw new Error('worker.js runs as a worker thread only')
const start = workerData as WorkerStart
const currentEpoch = new Int32Array(start.currentEpoch)
const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

try {
  const pglite = await open()
  port.on('message', (message: ToWorker) => void handle(pglite, message))
  post({ kind: 'ready' })
} catch (error) {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  port.close()
}

async function open(): Promise<PGlite> {
  if (start.folder !== undefined) return openFolder(start.folder, start.snapshot)
  if (start.snapshot === undefined) return PGlite.create()
  return PGlite.create({ loadDataDir: new Blob([new Uint8Array(readSnapshot(start.snapshot))]) })
}

async function handle(pglite: PGlite, message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'attach':
      await exchange(pglite, simpleQuery('rollback'), () => {})
      await exchange(pglite, simpleQuery('discard all'), () => {})
      post({ kind: 'attached', epoch: message.epoch })
      return
    case 'bytes':
      if (Atomics.load(currentEpoch, 0) === message.epoch) await answer(pglite, message.epoch, message.bytes)
      return
    case 'close':
      await pglite.close()
      post({ kind: 'closed' })
      port?.close()
  }
}

async function answer(pglite: PGlite, epoch: number, request: Uint8Array): Promise<void> {
  let pieces: Uint8Array[] = []
  let byteCount = 0
  const flush = (): void => {
    if (byteCount === 0) return
    const bytes = new Uint8Array(byteCount)
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    pieces = []
    byteCount = 0
    post({ kind: 'bytes', epoch, bytes }, [bytes.buffer])
  }
  await exchange(pglite, request, (piece) => {
    pieces.push(piece)
    byteCount += piece.length
    if (byteCount >= PIECE_BYTES || pieces.length >= PIECE_COUNT) flush()
  })
  flush()
}

function exchange(pglite: PGlite, request: Uint8Array, onPiece: (piece: Uint8Array) => void): Promise<void> {
  // The bytes are a view of PGlite's own memory: they must be copied before it goes on. Nothing to sync: Node's
  // file system has each write when PGlite has made it.
  return pglite.execProtocolRawStream(request, { syncToFs: false, onRawData: (view) => onPiece(view.slice()) })
}

function simpleQuery(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`)
  const message = Buffer.alloc(5 + body.length)
  message.write('Q')
  message.writeInt32BE(4 + body.length, 1)
  body.copy(message, 5)
  return message
}
