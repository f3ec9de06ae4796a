import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a self-signed certificate for 127.0.0.1. A host name would not resolve on every machine. */
export function createTestCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-portal-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const openssl = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=portal -addext subjectAltName=IP:127.0.0.1`
    execFileSync('openssl', [...openssl.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
