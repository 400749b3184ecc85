import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { progressTo } from './progress.ts'
import { requireBinary, type StartOptions } from './require-binary.ts'

export interface Certificate extends Disposable {
  /** Files, for servers. They are gone when it is disposed. */
  readonly keyFile: string
  readonly certificateFile: string
  /** Text, for clients that shall trust it. */
  readonly certificate: string
}

/** A certificate for `localhost` and 127.0.0.1 that signs itself, good for a day. */
export async function makeCertificate(options: StartOptions = {}): Promise<Certificate> {
  const wanted = { server: 'OpenSSL', binary: 'openssl', packages: ['openssl'], variable: 'PATH' }
  const openssl = await requireBinary(wanted, options, progressTo(options.quiet ?? false))
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-certificate-'))
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  await promisify(execFile)(openssl, [...kind, ...names, '-keyout', keyFile, '-out', certificateFile])
  return {
    keyFile,
    certificateFile,
    certificate: readFileSync(certificateFile, 'utf8'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
