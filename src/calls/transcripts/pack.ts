import { crc32, deflateRawSync } from 'node:zlib'

/** What a zip holds of a file. */
export interface Packed {
  /** Compressed. */
  bytes: Uint8Array
  crc: number
  /** Of the content, in bytes. */
  size: number
}

/** A text of so many bytes is a short one. */
const SHORT = 32 * 1024
/**
 * What zlib sets up for each of them is most of its work on a text of 1 KB: with these tables it takes 30 µs instead of
 * 73, and the text becomes 34 % of its size instead of 31 %.
 */
const FOR_SHORT = { level: 1, memLevel: 6, windowBits: 13 }

/** zlib takes a buffer of this size for each text, and a text of 1 KB needs none of the 16 KB that are usual. */
const chunkFor = (content: Uint8Array) => ({ chunkSize: Math.max(256, content.length) })

/** Compresses a file for a zip, in this thread. */
export function pack(content: Uint8Array): Packed {
  const bytes = deflateRawSync(content, content.length <= SHORT ? { ...FOR_SHORT, ...chunkFor(content) } : {})
  return { bytes, crc: crc32(content), size: content.length }
}
