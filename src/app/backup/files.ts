import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Sum {
  bytes: number
  sha256: string
}

function summing(): Transform & { sum(): Sum } {
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

/** Writes a new file that only its owner can read, and syncs it. */
export async function writeSummed(path: string, content: Readable): Promise<Sum> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const counted = summing()
  await pipeline(content, counted, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  return counted.sum()
}

export async function sumOf(content: Readable): Promise<Sum> {
  const counted = summing()
  counted.resume()
  await pipeline(content, counted)
  return counted.sum()
}

/** @throws Error if the file differs from the list of the backup */
export async function check(path: string, { bytes, sha256 }: Sum): Promise<void> {
  const found = await sumOf(createReadStream(path)).catch((error: Error) => error)
  if (found instanceof Error) throw new Error(`${path} cannot be read: ${found.message}`)
  if (found.bytes === bytes && found.sha256 === sha256) return
  throw new Error(
    `${path} is damaged: it has ${found.bytes} bytes, SHA-256 ${found.sha256}; the list says ${bytes}, ${sha256}`,
  )
}
