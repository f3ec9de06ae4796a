import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { convertToMp3On4 } from '../test/unusual-audio.ts'
import { SAMPLE_CALL_PATH, TestAudioFolder, TestRecognizer, normalizeTranscriptText } from '../test/test-recognizer.ts'

const CLIENT_OPTIONS = ['-ss', '3.3', '-t', '5.7', '-i', SAMPLE_CALL_PATH, '-af', 'pan=mono|c0=c1']
const EXPECTED_TEXT = 'hello i am waiting for my delivery it was supposed to arrive on monday'
const SECONDS = 5.7

/** File names with the encoder's options. */
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
  ['ac3.mp4', ['-c:a', 'ac3', '-ar', '48000']],
  ['ac3.caf', ['-c:a', 'ac3', '-ar', '48000']],
  ['eac3.mp4', ['-c:a', 'eac3', '-ar', '48000']],
  ['eac3.mov', ['-c:a', 'eac3', '-ar', '48000']],
  ['ima4.mov', ['-c:a', 'adpcm_ima_qt']],
  ['ima4.caf', ['-c:a', 'adpcm_ima_qt']],
  ['ima4.aiff', ['-c:a', 'adpcm_ima_qt']],
  ['old.wma', ['-c:a', 'wmav2', '-ar', '16000']],
  ['old-pbx.wav', ['-c:a', 'wmav2', '-ar', '16000']],
  ['sound.voc', ['-c:a', 'pcm_u8', '-ar', '8000']],
  ['sound.wv', ['-c:a', 'wavpack']],
  ['large-blocks.flac', ['-c:a', 'flac', '-frame_size', '65535']],
  ['odd-bits.flac', ['-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '20']],
  ['fast.flac', ['-c:a', 'flac', '-ar', '384000', '-compression_level', '0']],
  ['raw.gsm', ['-c:a', 'libgsm', '-ar', '8000']],
]

describe('audio formats', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  for (const [name, options] of FORMATS) {
    it(`the recognizer reads ${name} (${options[1] ?? 'flac'})`, async () => {
      const { text, durationSeconds } = await recognizer.transcript(
        sounds.encodeFile(name, ...CLIENT_OPTIONS, ...options),
      )
      // The worst codecs can blur the last words for this small model.
      expect(normalizeTranscriptText(text)).to.include(EXPECTED_TEXT.slice(0, 33))
      expect(durationSeconds).to.be.closeTo(SECONDS, 0.2)
    })
  }

  it('the recognizer reads amr and restores the silence that it omits', async () => {
    const { text, segments } = await recognizer.transcript('samples/call.amr')
    expect(normalizeTranscriptText(text)).to.include('i am waiting for my delivery it was supposed to arrive on monday')
    // The last words are at 14.2 s. Without the silence, they would be 2.6 s too early.
    expect(segments.at(-1)!.end).to.be.closeTo(16.7, 0.4)
  })

  it('the recognizer reads mp4 with a video track', async () => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=6', '-map', '0:a', '-map', '1:v']
    const file = sounds.encodeFile(
      'film.mp4',
      ...CLIENT_OPTIONS.slice(0, 6),
      ...picture,
      '-ac',
      '1',
      '-c:v',
      'mpeg4',
      '-c:a',
      'aac',
    )
    expect(normalizeTranscriptText((await recognizer.transcript(file)).text)).to.include('waiting for my delivery')
  })

  it('the recognizer reads mp3 with a cover picture', async () => {
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
    const file = sounds.encodeFile(
      'cover.mp3',
      ...CLIENT_OPTIONS.slice(0, 6),
      ...picture,
      '-c:v',
      'png',
      '-disposition:v',
      'attached_pic',
    )
    expect(normalizeTranscriptText((await recognizer.transcript(file)).text)).to.include('waiting for my delivery')
  })

  it('the recognizer reads mp3 in mp4 as MPEG-4 specifies it', async () => {
    const mp4 = readFileSync(
      sounds.encodeFile('speech.mp4', ...CLIENT_OPTIONS, ...BARE_MP3, '-reservoir', '0', '-ar', '16000'),
    )
    const { text, durationSeconds } = await recognizer.transcript(convertToMp3On4(mp4))
    expect(normalizeTranscriptText(text)).to.include(EXPECTED_TEXT.slice(0, 33))
    expect(durationSeconds).to.be.closeTo(SECONDS, 0.2)
  })

  /** MP3 frames without a header or a tag. */
  const BARE_MP3 = ['-c:a', 'libmp3lame', '-b:a', '32k', '-write_xing', '0', '-id3v2_version', '0']

  it('the recognizer reads mp3 after junk at the start of the file', async () => {
    const mp3 = readFileSync(sounds.encodeFile('bare.mp3', ...CLIENT_OPTIONS, ...BARE_MP3))
    const junk = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * i * 31 + i * 7) % 251))
    expect(normalizeTranscriptText((await recognizer.transcript(Buffer.concat([junk, mp3]))).text)).to.include(
      EXPECTED_TEXT.slice(0, 33),
    )
  })

  it('the recognizer reads mp3 of 0.2 s and of two frames', async () => {
    for (const [name, seconds] of [
      ['fifth.mp3', '0.2'],
      ['frames.mp3', '0.05'],
    ] as const) {
      const file = sounds.generateFile(name, `sine=r=8000:d=${seconds}`, ...BARE_MP3)
      expect((await recognizer.transcript(file)).durationSeconds).to.be.within(Number(seconds), Number(seconds) + 0.3)
    }
  })

  it('the recognizer reads MPEG audio of layer 1', async () => {
    // MPEG-1 layer I, 128 kbit/s, 48 kHz, mono. A frame of zeros is silence.
    const frame = Buffer.alloc(128)
    frame.writeUInt32BE(0xff_ff_44_c0, 0)
    const { durationSeconds } = await recognizer.transcript(Buffer.concat(Array.from({ length: 250 }, () => frame)))
    expect(durationSeconds).to.be.closeTo((250 * 384) / 48_000, 0.05)
  })

  /** Creates a film whose video track has no decoder, so that ffprobe rejects the whole file. */
  const brokenFilm = (name: string, ...tracks: string[]): Buffer => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=6']
    const codecs = ['-map', '1:v', '-ac', '1', '-c:v', 'libtheora', '-c:a', 'libopus']
    const bytes = readFileSync(sounds.encodeFile(name, ...CLIENT_OPTIONS.slice(0, 6), ...picture, ...tracks, ...codecs))
    const setup = bytes.indexOf(Buffer.from('\x80theora', 'latin1'))
    bytes.fill(0xff, setup + 7, setup + 37)
    return bytes
  }

  it('the recognizer reads audio beside a video track that cannot be decoded', async () => {
    const { text } = await recognizer.transcript(brokenFilm('broken.mkv', '-map', '0:a'))
    expect(normalizeTranscriptText(text)).to.include('waiting for my delivery')
  })

  it('beside an undecodable video track, the recognizer reads the default audio track', async () => {
    const silence = ['-f', 'lavfi', '-t', '6', '-i', 'anullsrc=r=8000:cl=mono', '-map', '2:a', '-map', '0:a']
    const flags = ['-disposition:a:0', '0', '-disposition:a:1', 'default']
    const { text } = await recognizer.transcript(brokenFilm('broken-two.mkv', ...silence, ...flags))
    expect(normalizeTranscriptText(text)).to.include('waiting for my delivery')
  })

  it('the recognizer reads the default audio track, not the first one', async () => {
    const silence = ['-f', 'lavfi', '-t', '6', '-i', 'anullsrc=r=8000:cl=mono', '-map', '1:a', '-map', '0:a']
    for (const [name, ...codec] of [
      ['two.mkv', '-c:a', 'libopus'],
      ['two.m4a', '-c:a', 'aac'],
    ] as const) {
      const flags = ['-ac', '1', '-disposition:a:0', '0', '-disposition:a:1', 'default']
      const file = sounds.encodeFile(name, ...CLIENT_OPTIONS.slice(0, 6), ...silence, ...codec, ...flags)
      expect(normalizeTranscriptText((await recognizer.transcript(file)).text), name).to.include(
        'waiting for my delivery',
      )
    }
  })

  it('the recognizer reads wav whose header has no length', async () => {
    const file = sounds.encodeFile('live.wav', ...CLIENT_OPTIONS)
    const bytes = readFileSync(file)
    bytes.writeUInt32LE(0xff_ff_ff_ff, bytes.indexOf('data') + 4)
    const { text, durationSeconds } = await recognizer.transcript(bytes)
    expect(normalizeTranscriptText(text)).to.equal(EXPECTED_TEXT)
    expect(durationSeconds).to.be.closeTo(SECONDS, 0.1)
  })

  it('the recognizer reads webm whose header has no length', async () => {
    const file = sounds.encodeFile('live.webm', ...CLIENT_OPTIONS, '-c:a', 'libopus', '-live', '1')
    const { text, durationSeconds } = await recognizer.transcript(file)
    expect(normalizeTranscriptText(text)).to.equal(EXPECTED_TEXT)
    expect(durationSeconds).to.be.closeTo(SECONDS, 0.15)
  })
})
