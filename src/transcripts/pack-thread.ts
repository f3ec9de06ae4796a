import { parentPort } from 'node:worker_threads'
import { pack, type Packed } from './pack.ts'

/** Files one after the other, and the length of each. */
export interface Joined {
  bytes: Uint8Array
  lengths: number[]
}

/** The same files compressed. */
export interface PackedTogether {
  bytes: Uint8Array
  files: { length: number; crc: number; size: number }[]
}

/** After `null` nothing more comes, and the thread ends. */
parentPort!.on('message', (joined: Joined | null) => {
  if (!joined) return parentPort!.close()
  const { bytes, lengths } = joined
  let at = 0
  const files = lengths.map((length) => pack(bytes.subarray(at, (at += length))))
  const packed = together(files)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort!.postMessage(packed, [packed.bytes.buffer as ArrayBuffer])
})

function together(files: Packed[]): PackedTogether {
  const all = new Uint8Array(files.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let at = 0
  for (const { bytes } of files) {
    all.set(bytes, at)
    at += bytes.length
  }
  return { bytes: all, files: files.map(({ bytes, crc, size }) => ({ length: bytes.length, crc, size })) }
}
