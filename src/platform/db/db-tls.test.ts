import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { ConfigError, parseConfig } from '../config/config.ts'
import { connectDatabase } from './db.ts'
import { resolveNameToLocalhost } from '../../test/dns.ts'
import { ServiceProcess, type ProcessLogLine } from '../../test/service-process.ts'
import { waitUntil } from '../../test/wait.ts'

/** Formats the error of Postgres for a wrong password, which proves that TLS was negotiated. */
function formatRejection(): Buffer {
  const fields = Buffer.from('SFATAL\0C28P01\0Mno\0\0')
  const head = Buffer.from('E....')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

const NAME = 'db.example.com'

const parseDatabaseUrl = (DATABASE_URL: string) => parseConfig('migrate', { DATABASE_URL }).DATABASE_URL!

describe('database TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-db-tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  let server: Server
  let port: number
  let forget: () => void
  before(async () => {
    const made = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${NAME} -addext subjectAltName=DNS:${NAME}`
    execFileSync('openssl', [...made.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
    const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)]
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write('S')
        const encrypted = new TLSSocket(socket, { isServer: true, key, cert })
        encrypted.on('error', () => undefined)
        encrypted.once('data', () => encrypted.end(formatRejection()))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    forget = resolveNameToLocalhost(NAME)
  })
  after(() => {
    forget()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const attempt = async (host: string, parameters: string): Promise<string> =>
    connectDatabase(parseDatabaseUrl(`postgres://u:p@${host}:${port}/d?${parameters}`), {}).then(
      () => 'connected',
      (error: Error) => error.message,
    )
  const agreed = /wrong user or password/

  it('sslmode=require does not verify the certificate, verify-full does', async () => {
    expect(await attempt('127.0.0.1', 'sslmode=require')).to.match(agreed)
    expect(await attempt(NAME, 'sslmode=verify-full')).to.match(/sslrootcert=FILE/)
    expect(await attempt(NAME, `sslmode=verify-full&sslrootcert=${certFile}`)).to.match(agreed)
    expect(await attempt('127.0.0.1', `sslmode=verify-full&sslrootcert=${certFile}`)).to.match(/another host name/)
    expect(await attempt('127.0.0.1', 'sslmode=no-verify')).to.match(agreed)
  })

  it('sslmode=verify-ca requires a CA file and ignores the host name', async () => {
    expect(() => parseDatabaseUrl('postgres://u:p@h/d?sslmode=verify-ca')).to.throw(ConfigError, /sslrootcert=FILE/)
    expect(await attempt('127.0.0.1', `sslmode=verify-ca&sslrootcert=${certFile}`)).to.match(agreed)
  })

  it('a warning of Node becomes a line of the JSON log', async () => {
    const DATABASE_URL = `postgres://u:p@127.0.0.1:${port}/d?sslmode=verify-full&sslrootcert=${certFile}`
    const migrate = new ServiceProcess('migrate', { DATABASE_URL }, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    try {
      const about = ({ msg }: ProcessLogLine) => msg?.includes('NODE_TLS_REJECT_UNAUTHORIZED')
      const warning = await waitUntil('it warns', () => migrate.lines.find(about))
      expect(warning).to.include({ level: 'warn', warning: 'Warning', component: 'migrate' })
      expect(migrate.text).to.equal('')
    } finally {
      await migrate.stop()
    }
  })

  it('the error for an unescaped password asks for percent-encoding without the password', () => {
    for (const password of ['se/cret', 'se#cret', 'se?cret', 'se%zzcret', '12/cret'])
      for (const [name, scheme] of [
        ['DATABASE_URL', 'postgres'],
        ['REDIS_URL', 'redis'],
      ] as const)
        expect(() =>
          parseConfig('migrate', { DATABASE_URL: 'postgres://h/d', [name]: `${scheme}://u:${password}@h/1` }),
        )
          .to.throw(ConfigError, new RegExp(`${name}: .*percent-encoded`))
          .with.property('message')
          .that.does.not.include('cret')
    expect(parseDatabaseUrl('postgres://u:se%2Fcret@h/d')).to.equal('postgres://u:se%2Fcret@h/d')
  })
})
