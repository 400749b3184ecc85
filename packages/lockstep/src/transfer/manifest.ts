/** The last file of a backup: what it must hold. */
export interface Manifest {
  readonly format: 1
  /** Of Lockstep, when it was made. */
  readonly version: string
  readonly madeAt: string
  readonly folders: readonly string[]
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[]
}

export const MANIFEST = 'lockstep-backup.json'

export function readManifest(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isOurs = typeof value === 'object' && value !== null && 'format' in value && value.format === 1
    return isOurs ? (value as Manifest) : undefined
  } catch {
    return undefined
  }
}
