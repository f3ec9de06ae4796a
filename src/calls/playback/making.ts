import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** Bytes of a WAV header for mu-law: RIFF, an fmt chunk with its extension's length, fact, data. */
const HEADER_BYTES = 58
const MU_LAW_SILENCE = 0xff
const PIECE_BYTES = 64 * 1024
/** A length that is off by this many seconds is that of another rounding, not of other audio. */
const ROUNDING_SECONDS = 0.5

export interface SoundFormat {
  channels: number
  sampleRate: number
}

/**
 * A WAV file that is being written, and can be read meanwhile: of mu-law each second has the same number of bytes, so
 * once the length of the call is known, every position of the file is. It has no name in the file system, so nothing is
 * left of it when the process dies.
 */
export class GrowingWav {
  /** The whole file's bytes, once they are known. */
  readonly totalBytes: number | undefined
  private readonly handle: FileHandle
  private readonly format: SoundFormat
  private written = HEADER_BYTES
  private state: 'grows' | 'whole' | 'broken' = 'grows'
  private users = 1
  private readonly changes = new EventEmitter().setMaxListeners(0)

  private constructor(handle: FileHandle, format: SoundFormat, seconds: number | null) {
    this.handle = handle
    this.format = format
    const frames = seconds === null ? undefined : Math.round(seconds * format.sampleRate)
    this.totalBytes = frames === undefined ? undefined : HEADER_BYTES + frames * format.channels
  }

  /** @param seconds the length of the call, where it is known */
  static async create(folder: string, format: SoundFormat, seconds: number | null): Promise<GrowingWav> {
    await mkdir(folder, { recursive: true })
    const path = join(folder, `.playable-${randomUUID()}`)
    const handle = await open(path, 'wx+')
    await rm(path)
    const wav = new GrowingWav(handle, format, seconds)
    await wav.writeHeader(wav.totalBytes ?? HEADER_BYTES)
    return wav
  }

  /** Takes all samples. Only one may write. */
  async fill(samples: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of samples) {
      await this.handle.write(chunk, 0, chunk.length, this.written)
      this.written += chunk.length
      this.changes.emit('change')
    }
    const rounding = ROUNDING_SECONDS * this.format.sampleRate * this.format.channels
    if (this.totalBytes !== undefined && Math.abs(this.written - this.totalBytes) <= rounding) {
      const missing = Buffer.alloc(Math.max(0, this.totalBytes - this.written), MU_LAW_SILENCE)
      await this.handle.write(missing, 0, missing.length, this.written)
      await this.handle.truncate(this.totalBytes)
      this.written = this.totalBytes
    }
    await this.writeHeader(this.written)
    this.end('whole')
  }

  /** No more will come. */
  break(): void {
    this.end('broken')
  }

  get size(): number {
    return this.written
  }

  /** The bytes from `start` to `end`, both inclusive, as they come. */
  read(start: number, end: number): Readable {
    this.users++
    return Readable.from(this.pieces(start, end), { objectMode: false }).once('close', () => void this.release())
  }

  /** Ends the use by whoever created it. */
  async release(): Promise<void> {
    this.users--
    if (this.users === 0) await this.handle.close()
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at <= end;) {
      if (at < this.written) {
        const length = Math.min(PIECE_BYTES, end + 1 - at, this.written - at)
        const { bytesRead, buffer } = await this.handle.read(Buffer.alloc(length), 0, length, at)
        yield buffer.subarray(0, bytesRead)
        at += bytesRead
      } else if (this.state === 'grows') {
        await once(this.changes, 'change')
      } else if (this.state === 'broken') {
        throw new Error('the copy could not be made')
      } else {
        // The call turned out to be shorter than was thought: its end is silence.
        const length = Math.min(PIECE_BYTES, end + 1 - at)
        yield Buffer.alloc(length, MU_LAW_SILENCE)
        at += length
      }
    }
  }

  private end(state: 'whole' | 'broken'): void {
    if (this.state === 'grows') this.state = state
    this.changes.emit('change')
  }

  private async writeHeader(bytes: number): Promise<void> {
    const { channels, sampleRate } = this.format
    const header = Buffer.alloc(HEADER_BYTES)
    header.write('RIFF', 0)
    header.writeUInt32LE(bytes - 8, 4)
    header.write('WAVEfmt ', 8)
    header.writeUInt32LE(18, 16)
    header.writeUInt16LE(7, 20) // mu-law
    header.writeUInt16LE(channels, 22)
    header.writeUInt32LE(sampleRate, 24)
    header.writeUInt32LE(sampleRate * channels, 28)
    header.writeUInt16LE(channels, 32)
    header.writeUInt16LE(8, 34)
    header.write('fact', 38)
    header.writeUInt32LE(4, 42)
    header.writeUInt32LE((bytes - HEADER_BYTES) / channels, 46)
    header.write('data', 50)
    header.writeUInt32LE(bytes - HEADER_BYTES, 54)
    await this.handle.write(header, 0, HEADER_BYTES, 0)
  }
}
