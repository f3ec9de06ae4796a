import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fetchResponseBytes } from '../../test/audio-playback.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

const audioFolder = mkdtempSync(join(tmpdir(), 'svc-playback-'))
const encodeAudio = (name: string, ...codec: string[]): Promise<Buffer> => {
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', 'samples/call.wav', ...codec, join(audioFolder, name)])
  return readFile(join(audioFolder, name))
}

describe('playback with a real recognizer', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp()
    await app.olga.post('/v1/queues/transcription/pause')
  })
  after(async () => {
    await app.stop()
    await rm(audioFolder, { recursive: true })
  })

  const submit = async (file: Buffer, name: string): Promise<string> => {
    const { id } = (await app.ida.upload(file, {}, name)).json
    await app.db.query(`UPDATE recordings SET status = 'DONE', duration_seconds = 17.5 WHERE id = $1`, [id])
    return id
  }

  const natives: [string, string, string[]][] = [
    ['call.wav', 'audio/wav', ['-c:a', 'pcm_s16le']],
    ['alaw.wav', 'audio/wav', ['-c:a', 'pcm_alaw']],
    ['call.mp3', 'audio/mpeg', ['-c:a', 'libmp3lame']],
    ['call.flac', 'audio/flac', []],
  ]
  for (const [name, type, codec] of natives) {
    it(`the API plays ${name} unchanged`, async () => {
      const file = await encodeAudio(name, ...codec)
      const id = await submit(file, 'call.bin')
      const { status, headers, body } = await fetchResponseBytes(app, `/v1/recordings/${id}/playback`)
      expect([status, headers.get('content-type')]).to.deep.equal([200, type])
      expect(body.equals(file)).to.equal(true)
    })
  }

  it('the API plays an MP3 with ID3 tags of any length unchanged', async () => {
    const mp3 = await encodeAudio('bare.mp3', '-c:a', 'libmp3lame', '-id3v2_version', '0')
    const tag = (length: number): Buffer => {
      const bytes = [21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f)
      return Buffer.concat([Buffer.from('ID3\u0003\0\0', 'latin1'), Buffer.from(bytes), Buffer.alloc(length)])
    }
    for (const tags of [[tag(20)], [tag(300_000)], [tag(20), tag(200)]]) {
      const file = Buffer.concat([...tags, mp3])
      const { status, headers, body } = await fetchResponseBytes(
        app,
        `/v1/recordings/${await submit(file, 'call.mp3')}/playback`,
      )
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'audio/mpeg'])
      expect(body.equals(file)).to.equal(true)
    }
  })

  const others: [string, string[], number][] = [
    ['call.amr', [], 1],
    ['call.gsm', ['-ac', '1', '-c:a', 'libgsm'], 1],
    ['adpcm.wav', ['-c:a', 'adpcm_ima_wav'], 2],
    ['call.wma', ['-c:a', 'wmav2', '-ar', '16000'], 2],
    ['call.m4a', ['-c:a', 'aac'], 2],
    ['ac3.mp4', ['-c:a', 'ac3', '-ar', '48000'], 2],
    ['opus.ogg', ['-c:a', 'libopus'], 2],
    ['vorbis.ogg', ['-c:a', 'libvorbis'], 2],
    ['tagged.aac', ['-c:a', 'aac', '-f', 'adts', '-write_id3v2', '1'], 2],
    ['live.webm', ['-c:a', 'libopus', '-live', '1'], 2],
  ]
  for (const [name, codec, channels] of others) {
    it(`the API converts ${name} to WAV, which also plays in ranges (channels: ${channels})`, async () => {
      const file = name === 'call.amr' ? await readFile('samples/call.amr') : await encodeAudio(name, ...codec)
      const id = await submit(file, name)
      const path = `/v1/recordings/${id}/playback`
      const completeAudio = await fetchResponseBytes(app, path)
      expect([completeAudio.status, completeAudio.headers.get('content-type')]).to.deep.equal([200, 'audio/wav'])
      expect([completeAudio.body.toString('latin1', 0, 4), completeAudio.body.readUInt16LE(20)]).to.deep.equal([
        'RIFF',
        7,
      ])
      const rate = completeAudio.body.readUInt32LE(24)
      expect(completeAudio.body.readUInt16LE(22)).to.equal(channels)
      expect((completeAudio.body.length - 58) / rate / channels).to.be.closeTo(17.5, 0.3)
      expect(completeAudio.body.readUInt32LE(54)).to.equal(completeAudio.body.length - 58)
      const part = await fetchResponseBytes(app, path, { Range: 'bytes=100000-100999' })
      expect([part.status, part.headers.get('content-range')]).to.deep.equal([
        206,
        `bytes 100000-100999/${completeAudio.body.length}`,
      ])
      expect(part.body.equals(completeAudio.body.subarray(100_000, 101_000))).to.equal(true)
      expect((await fetchResponseBytes(app, `/v1/recordings/${id}/audio`)).body.equals(file)).to.equal(true)
    })
  }

  it('a file without audio gets 422 and leaves no copy', async () => {
    const id = await submit(Buffer.from('no sound'.repeat(1000)), 'call.wav')
    expect((await app.olga.get(`/v1/recordings/${id}/playback`)).status).to.equal(422)
    const { rows } = await app.db.query('SELECT FROM playable_copies WHERE recording_id = $1', [id])
    expect(rows).to.deep.equal([])
  })

  it('a call can be played before it is transcribed', async () => {
    const { id } = (await app.ida.upload(await readFile('samples/call.amr'), {}, 'waits.amr')).json
    const { status, body } = await fetchResponseBytes(app, `/v1/recordings/${id}/playback`)
    expect([status, body.length]).to.deep.equal([200, 58 + 17.5 * 8000])
  })
})
