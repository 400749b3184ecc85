import type { Random } from '@lockstep/base'

/** 15 bytes: as many as base64url holds without padding and nobody guesses. */
export function newToken(random: Random): string {
  const bytes = random.bytes(15)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}
