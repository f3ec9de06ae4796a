import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The size of a file in bytes and its SHA-256 hash in hexadecimal. */
export interface FileChecksum {
  bytes: number
  sha256: string
}

function createChecksumStream(): Transform & { sum(): FileChecksum } {
  const hash = createHash('sha256')
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return Object.assign(stream, { sum: () => ({ bytes, sha256: hash.digest('hex') }) })
}

/**
 * Writes a new file that only its owner can read, and syncs it to disk.
 * @throws Error if the file exists
 */
export async function writeFileWithChecksum(path: string, content: Readable): Promise<FileChecksum> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const checksumStream = createChecksumStream()
  await pipeline(content, checksumStream, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  return checksumStream.sum()
}

/** Reads a stream to its end and computes its size and SHA-256 hash. */
export async function computeStreamChecksum(content: Readable): Promise<FileChecksum> {
  const checksumStream = createChecksumStream()
  checksumStream.resume()
  await pipeline(content, checksumStream)
  return checksumStream.sum()
}

/**
 * Compares a file with its entry in the list of the backup.
 * @throws Error if the file is missing or differs
 */
export async function verifyFileChecksum(path: string, { bytes, sha256 }: FileChecksum): Promise<void> {
  const actual = await computeStreamChecksum(createReadStream(path)).catch((error: Error) => error)
  if (actual instanceof Error) throw new Error(`${path} cannot be read: ${actual.message}`)
  if (actual.bytes === bytes && actual.sha256 === sha256) return
  throw new Error(
    `${path} is damaged: it has ${actual.bytes} bytes, SHA-256 ${actual.sha256}; the list says ${bytes}, ${sha256}`,
  )
}
