import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../platform/config/config.ts'
import { startOnFreePort } from '../platform/lib/free-port.ts'
import { hasValidS3Signature } from './s3-signature.ts'
import { waitUntil } from './wait.ts'

const BUCKET = 'calls'

/** A status, a broken connection, or no response. */
type Fault = number | 'break' | 'hang'

/**
 * An S3-compatible server in a separate process. A proxy in front of it records requests, adds missing features (signatures,
 * aborting and listing multipart uploads), and simulates faults.
 */
export class TestS3Server {
  /** Method and path of every request. */
  readonly requests: string[] = []
  /** Returns the fault of a request; undefined to pass the request on. */
  fault: (method: string, url: URL) => Fault | undefined = () => undefined
  private folder = ''
  private port = 0
  private child: ChildProcess | undefined
  private readonly front = http.createServer((request, response) => {
    this.handleRequest(request, response).catch(() => response.destroy())
  })

  async start(): Promise<this> {
    this.folder = await mkdtemp(join(tmpdir(), 'svc-s3-'))
    await startOnFreePort((port) => this.startOn(port))
    await new Promise<void>((resolve) => this.front.listen(0, '127.0.0.1', resolve))
    return this
  }

  private async startOn(port: number): Promise<void> {
    this.port = port
    const program = [
      '--openssl-legacy-provider',
      'node_modules/s3rver/bin/s3rver.js',
      ['-s', '-a', '127.0.0.1', '-p', String(this.port), '-d', this.folder, '--configure-bucket', BUCKET],
      ['--service-endpoint', 'example.com'],
    ].flat()
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child = child
    process.once('exit', () => child.kill())
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
    await waitUntil('the S3 server listens', () => {
      if (child.exitCode !== null) throw new Error(`the S3 server ended:\n${output}`)
      return output.includes('listening')
    })
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.front.close(resolve))
    this.front.closeAllConnections()
    this.child?.kill()
    await closed
    await waitUntil('the S3 server has ended', () => this.child?.exitCode !== null || this.child.signalCode !== null)
    await rm(this.folder, { recursive: true, force: true })
  }

  get frontPort(): number {
    return (this.front.address() as AddressInfo).port
  }

  /** The configuration variables with which an API uses this server. */
  get config(): Partial<Config> {
    return {
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_ENDPOINT_URL: `http://127.0.0.1:${this.frontPort}`,
    }
  }

  /** Stores an object without using the API. */
  async writeObject(key: string, content: string | Buffer): Promise<void> {
    const path = join(this.folder, BUCKET, dirname(key), `${key.split('/').pop()}._S3rver_object`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
    await writeFile(path.replace(/_object$/, '_metadata.json'), '{}')
  }

  /** Deletes an object, or all objects of a folder, without using the API. */
  async deleteObject(key: string): Promise<void> {
    const names = key.endsWith('/') ? [key] : [`${key}._S3rver_object`, `${key}._S3rver_metadata.json`]
    for (const name of names) await rm(join(this.folder, BUCKET, name), { recursive: true, force: true })
  }

  async listKeys(): Promise<string[]> {
    const files = (await readdir(join(this.folder, BUCKET), { recursive: true })).map(String)
    return files.filter((file) => file.endsWith('._S3rver_object')).map((file) => file.slice(0, -15))
  }

  /** Lists the ids and keys of unfinished multipart uploads. */
  async listMultipartUploads(): Promise<{ id: string; key: string }[]> {
    const folder = join(this.folder, BUCKET, '._S3rver_uploads')
    if (!existsSync(folder)) return []
    const ids = await readdir(folder)
    const keyOf = (id: string) => readFile(join(folder, id, 'key'), 'utf8').catch(() => '') // An upload can end between the two calls.
    return Promise.all(ids.map(async (id) => ({ id, key: await keyOf(id) })))
  }

  private async handleRequest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://s3')
    this.requests.push(`${request.method} ${request.url}`)
    const fault = this.fault(request.method!, url)
    if (fault === 'hang') return void request.resume()
    if (fault === 'break') return void response.destroy()
    if (fault) return void request.resume().on('end', () => response.writeHead(fault).end())
    if (!hasValidS3Signature(request, 'S3RVER')) {
      return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    }
    const uploadId = url.searchParams.get('uploadId')
    if (request.method === 'DELETE' && uploadId) {
      await rm(join(this.folder, BUCKET, '._S3rver_uploads', uploadId), { recursive: true })
      return void response.writeHead(204).end()
    }
    if (request.method === 'GET' && url.searchParams.has('uploads')) return this.sendMultipartUploads(url, response)
    this.forwardRequest(request, response)
  }

  private async sendMultipartUploads(url: URL, response: http.ServerResponse): Promise<void> {
    const matchingUploads = (await this.listMultipartUploads()).filter(({ key }) =>
      key.startsWith(url.searchParams.get('prefix')!),
    )
    const items = matchingUploads.map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
    response.end(`<?xml version="1.0"?><ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`)
  }

  private forwardRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { method, url: path, headers } = request
    const upstream = http.request({ host: '127.0.0.1', port: this.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }
}
