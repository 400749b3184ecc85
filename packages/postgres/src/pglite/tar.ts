// Just enough of the tar format (ustar) for a data folder: plain files and folders, short paths, no links.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const BLOCK = 512
const FILE = '0'
const FOLDER = '5'

/** Everything below `folder`, with paths relative to it. */
export function packTar(folder: string): Buffer {
  const blocks: Buffer[] = []
  const add = (path: string): void => {
    const whole = join(folder, path)
    if (statSync(whole).isDirectory()) {
      if (path !== '') blocks.push(header(`${path}/`, FOLDER, 0))
      for (const name of readdirSync(whole).sort()) add(path === '' ? name : `${path}/${name}`)
      return
    }
    const content = readFileSync(whole)
    blocks.push(header(path, FILE, content.length), content, Buffer.alloc(padding(content.length)))
  }
  add('')
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

export function unpackTar(tar: Buffer, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const path = text(tar, at, 100)
    const size = Number.parseInt(text(tar, at + 124, 12), 8)
    const target = join(folder, path)
    if (text(tar, at + 156, 1) === FOLDER) mkdirSync(target, { recursive: true })
    else {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, tar.subarray(at + BLOCK, at + BLOCK + size))
    }
    at += BLOCK + size + padding(size)
  }
}

function header(path: string, type: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`path too long for the archive: ${path}`)
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0)
  block.write(`${type === FOLDER ? '0000755' : '0000644'}\0`, 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  // No times: the same content gives the same archive.
  block.write('00000000000\0', 136)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function text(tar: Buffer, at: number, length: number): string {
  const field = tar.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}
