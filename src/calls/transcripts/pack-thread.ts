import { parentPort } from 'node:worker_threads'
import { pack, type Packed } from './pack.ts'

/** Files one after the other, and the length of each. */
export interface Joined {
  bytes: Uint8Array
  lengths: Uint32Array
}

/** The same files compressed. */
export interface PackedTogether {
  bytes: Uint8Array
  /** Of each file the length of its part of the bytes, its checksum and its size: objects take several times as long to hand over. */
  facts: Uint32Array
}

/** After `null` nothing more comes, and the thread ends. */
parentPort!.on('message', (joined: Joined | null) => {
  if (!joined) return parentPort!.close()
  const { bytes, lengths } = joined
  let at = 0
  const files = Array.from(lengths, (length) => pack(bytes.subarray(at, (at += length))))
  const packed = together(files)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort!.postMessage(packed, [packed.bytes.buffer as ArrayBuffer])
})

function together(files: Packed[]): PackedTogether {
  const all = new Uint8Array(files.reduce((sum, { bytes }) => sum + bytes.length, 0))
  const facts = new Uint32Array(3 * files.length)
  let at = 0
  for (const [n, { bytes, crc, size }] of files.entries()) {
    all.set(bytes, at)
    at += bytes.length
    facts.set([bytes.length, crc, size], 3 * n)
  }
  return { bytes: all, facts }
}
