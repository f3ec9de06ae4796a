import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CALL, Sounds, TestRecognizer, words } from './test-support.ts'

const CLIENT = ['-ss', '3.3', '-t', '5.7', '-i', CALL, '-af', 'pan=mono|c0=c1']
const SAID = 'hello i am waiting for my delivery it was supposed to arrive on monday'
const SECONDS = 5.7

/** File name and the encoder's options. */
const FORMATS: [string, string[]][] = [
  ['pcm.wav', ['-c:a', 'pcm_s16le']],
  ['pcm24.wav', ['-c:a', 'pcm_s24le', '-ar', '48000']],
  ['float.wav', ['-c:a', 'pcm_f32le', '-ar', '44100']],
  ['alaw.wav', ['-c:a', 'pcm_alaw']],
  ['mulaw.wav', ['-c:a', 'pcm_mulaw']],
  ['gsm.wav', ['-c:a', 'libgsm_ms', '-ar', '8000']],
  ['adpcm.wav', ['-c:a', 'adpcm_ima_wav']],
  ['mulaw.au', ['-c:a', 'pcm_mulaw']],
  ['speech.mp3', ['-c:a', 'libmp3lame', '-b:a', '32k']],
  ['variable.mp3', ['-c:a', 'libmp3lame', '-q:a', '6', '-write_xing', '0']],
  ['opus.ogg', ['-c:a', 'libopus', '-b:a', '24k']],
  ['vorbis.ogg', ['-c:a', 'libvorbis', '-ar', '16000']],
  ['speech.flac', []],
  ['speech.m4a', ['-c:a', 'aac', '-b:a', '48k', '-ar', '16000']],
  ['speech.aac', ['-c:a', 'aac', '-b:a', '48k', '-ar', '16000']],
  ['speech.webm', ['-c:a', 'libopus', '-b:a', '24k']],
]

describe('the recognizer reads', () => {
  const sounds = new Sounds()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  for (const [name, options] of FORMATS) {
    it(`${name} (${options[1] ?? 'flac'})`, async () => {
      const { text, durationSeconds } = await recognizer.transcript(sounds.make(name, ...CLIENT, ...options))
      // The worst codecs may blur the last words for this small model.
      expect(words(text)).to.include(SAID.slice(0, 33))
      expect(durationSeconds).to.be.closeTo(SECONDS, 0.2)
    })
  }

  it('amr, with the silence that it leaves out put back', async () => {
    const { text, segments } = await recognizer.transcript('samples/call.amr')
    expect(words(text)).to.include('i am waiting for my delivery it was supposed to arrive on monday')
    // The last words are spoken at 14.2 s; without the silence they would come 2.6 s too early.
    expect(segments.at(-1)!.end).to.be.closeTo(16.7, 0.4)
  })

  it('mp4 with a picture track beside the sound', async () => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=6', '-map', '0:a', '-map', '1:v']
    const file = sounds.make('film.mp4', ...CLIENT.slice(0, 6), ...picture, '-ac', '1', '-c:v', 'mpeg4', '-c:a', 'aac')
    expect(words((await recognizer.transcript(file)).text)).to.include('waiting for my delivery')
  })

  it('mp3 with a cover picture', async () => {
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=64x64:duration=1',
      '-map',
      '0:a',
      '-map',
      '1:v',
      '-frames:v',
      '1',
    ]
    const file = sounds.make(
      'cover.mp3',
      ...CLIENT.slice(0, 6),
      ...picture,
      '-c:v',
      'png',
      '-disposition:v',
      'attached_pic',
    )
    expect(words((await recognizer.transcript(file)).text)).to.include('waiting for my delivery')
  })

  it('wav whose header does not know the length, as a live recorder leaves it', async () => {
    const file = sounds.make('live.wav', ...CLIENT)
    const bytes = readFileSync(file)
    bytes.writeUInt32LE(0xff_ff_ff_ff, bytes.indexOf('data') + 4)
    const { text, durationSeconds } = await recognizer.transcript(bytes)
    expect(words(text)).to.equal(SAID)
    expect(durationSeconds).to.be.closeTo(SECONDS, 0.1)
  })

  it('webm whose header does not tell the length, as browsers record it', async () => {
    const file = sounds.make('live.webm', ...CLIENT, '-c:a', 'libopus', '-live', '1')
    const { text, durationSeconds } = await recognizer.transcript(file)
    expect(words(text)).to.equal(SAID)
    expect(durationSeconds).to.be.closeTo(SECONDS, 0.15)
  })
})
