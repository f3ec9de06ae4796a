// Creates audio in formats that ffmpeg cannot write.

/** Creates a WAV file whose header can contradict its data. */
export function makeWavWithHeader({ rate = 8000, channels = 1, bits = 16, data = Buffer.alloc(16_000) }): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(((rate * channels * bits) / 8) % 2 ** 32, 28)
  header.writeUInt16LE(((channels * bits) / 8) % 2 ** 16, 32)
  header.writeUInt16LE(bits, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  return Buffer.concat([header, data])
}

/** Creates a tracker module with one silent pattern. */
export function makeTrackerModuleAudio(): Buffer {
  const bytes = Buffer.alloc(1084 + 1024)
  bytes[950] = 1 // The number of patterns in the play order.
  bytes.write('M.K.', 1080)
  return bytes
}

/** Creates half a second of one-bit audio with one channel as a DSF file. */
export function makeDsdAudio(): Buffer {
  const [head, data] = [Buffer.alloc(92), Buffer.alloc(44 * 4096, 0x69)]
  head.write('DSD ', 0)
  head.writeUInt32LE(28, 4)
  head.writeUInt32LE(head.length + data.length, 12)
  head.write('fmt ', 28)
  head.writeUInt32LE(52, 32)
  // The fields are version, raw format, mono, channels, sample rate and bits.
  for (const [n, value] of [1, 0, 1, 1, 2_822_400, 1].entries()) head.writeUInt32LE(value, 40 + 4 * n)
  head.writeUInt32LE(data.length * 8, 64)
  head.writeUInt32LE(4096, 72)
  head.write('data', 80)
  head.writeUInt32LE(12 + data.length, 84)
  return Buffer.concat([head, data])
}

/**
 * Converts an mp4 with mp3 audio (one channel, 16 kHz, independent frames of equal size) to mp3on4 (ISO 14496-3, part 9).
 * Each frame has its size instead of the sync word, and the descriptor declares the format.
 */
export function convertToMp3On4(mp4: Buffer): Buffer {
  const [sizes, audioOffset] = [mp4.indexOf('stsz') + 8, mp4.indexOf('mdat') + 4]
  const [size, count] = [mp4.readUInt32BE(sizes), mp4.readUInt32BE(sizes + 4)]
  for (let at = audioOffset; at < audioOffset + count * size; at += size) {
    mp4.writeUInt16BE((size << 4) | (mp4.readUInt16BE(at) & 15), at)
  }
  // The bits encode object type 34 (layer 3) after its escape code, index 8 of the sample rates, and one channel.
  const specific = Buffer.from([5, 0x80, 0x80, 0x80, 3, 0b11111_000, 0b010_1000_0, 0b001_00000])
  const esds = mp4.indexOf('esds')
  const descriptor = (tag: number) => mp4.indexOf(Buffer.from([tag, 0x80, 0x80, 0x80]), esds) + 4
  const config = descriptor(4)
  const end = config + 1 + mp4[config]!
  mp4[config + 1] = 0x40 // This value means MPEG-4 audio.
  for (const length of [descriptor(3), config]) mp4[length] = mp4[length]! + specific.length
  for (const box of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'mp4a', 'esds']) {
    const size = mp4.indexOf(box, mp4.lastIndexOf('moov')) - 4
    mp4.writeUInt32BE(mp4.readUInt32BE(size) + specific.length, size)
  }
  return Buffer.concat([mp4.subarray(0, end), specific, mp4.subarray(end)])
}
