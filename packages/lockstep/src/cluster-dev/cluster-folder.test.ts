import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { clusterFolder } from './cluster-folder.ts'

it('is beside a data folder that the user who runs PostgreSQL for root cannot pass, else inside', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-folder-'))
  try {
    expect(clusterFolder(folder, 0)).toBe(`${folder}-cluster`)
    expect(clusterFolder(folder, 1_000)).toBe(path.join(folder, 'cluster-postgres'))
    chmodSync(folder, 0o711)
    expect(clusterFolder(folder, 0)).toBe(path.join(folder, 'cluster-postgres'))
    expect(clusterFolder(path.join(folder, 'none'), 0)).toBe(path.join(folder, 'none', 'cluster-postgres'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
