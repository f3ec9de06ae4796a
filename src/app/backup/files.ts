import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** What is known of a file of a backup. */
export interface Sum {
  bytes: number
  sha256: string
}

/** A stream that passes bytes on and counts and sums them. */
function summing(): Transform & { sum(): Sum } {
  const hash: Hash = createHash('sha256')
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

/** Writes a new file that only its owner can read, and syncs it. */
export async function writeSummed(path: string, content: Readable): Promise<Sum> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const counted = summing()
  await pipeline(content, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  return counted.sum()
}

/** Counts and sums what a stream holds. */
export async function sumOf(content: Readable): Promise<Sum> {
  const counted = summing()
  counted.resume()
  await pipeline(content, counted)
  return counted.sum()
}

/** @throws Error naming the file, where it is not what the backup's list says */
export async function check(path: string, { bytes, sha256 }: Sum): Promise<void> {
  const found = await sumOf(createReadStream(path)).catch((error: Error) => error)
  if (found instanceof Error) throw new Error(`${path} cannot be read: ${found.message}`)
  if (found.bytes === bytes && found.sha256 === sha256) return
  throw new Error(
    `${path} is damaged: it has ${found.bytes} bytes, SHA-256 ${found.sha256}; the list says ${bytes}, ${sha256}`,
  )
}
