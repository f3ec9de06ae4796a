import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readWavHeader } from './wav.ts'

describe('WAV headers', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'wav-'))))
  after(() => rmSync(folder, { recursive: true }))

  const createAudio = (...options: string[]): string => {
    const file = join(folder, `${options.join('').replace(/\W/g, '')}.wav`)
    const source = ['-f', 'lavfi', '-i', 'sine=duration=1.5', ...options]
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...source, file])
    return file
  }
  const changed = (name: string, change: (bytes: Buffer) => void): string => {
    const bytes = readFileSync('samples/call.wav')
    change(bytes)
    const file = join(folder, `${name}.wav`)
    writeFileSync(file, bytes)
    return file
  }

  for (const [codec, rate, channels] of [
    ['pcm_s16le', 8000, 2],
    ['pcm_u8', 44_100, 1],
    ['pcm_alaw', 8000, 1],
    ['pcm_mulaw', 8000, 2],
  ] as const) {
    it(`a WAV header gives the same channels, rate and length as ffprobe: ${codec}`, async () => {
      const file = createAudio('-c:a', codec, '-ar', String(rate), '-ac', String(channels))
      const entries = 'stream=sample_rate,channels,duration'
      const answer = execFileSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_entries', entries, file])
      const [stream] = JSON.parse(answer.toString()).streams
      expect((await readWavHeader(file)).header).to.deep.include({
        channels: stream.channels,
        sampleRate: Number(stream.sample_rate),
        durationSeconds: Number(stream.duration),
      })
    })
  }

  it('compressed, short and other files have no WAV header, so ffprobe examines them', async () => {
    expect((await readWavHeader(createAudio('-c:a', 'adpcm_ima_wav'))).header).to.equal(undefined)
    expect((await readWavHeader('samples/call.amr')).header).to.equal(undefined)
    const empty = join(folder, 'empty.wav')
    writeFileSync(empty, 'RIFF')
    expect((await readWavHeader(empty)).header).to.equal(undefined)
  })

  it('ffprobe examines a WAV file with a wrong length or byte rate', async () => {
    const cut = changed('cut', () => undefined)
    truncateSync(cut, 10_000)
    expect((await readWavHeader(cut)).header).to.equal(undefined)
    for (const [name, at] of [
      ['a rate of one', 24],
      ['bytes a second', 28],
      ['no bits', 34],
    ] as const) {
      const file = changed(name, (bytes) => void bytes.writeUInt16LE(1, at))
      expect((await readWavHeader(file)).header, name).to.equal(undefined)
    }
  })
})
