import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { chooseRepeatCount } from '../test/repeat-count.ts'
import { isAudioTooLong } from './audio.ts'
import { makeDsdAudio, makeTrackerModuleAudio, makeWavWithHeader } from '../test/unusual-audio.ts'
import { waitForProcessExit, spawnMediaProgram } from './media.ts'
import { SAMPLE_CALL_PATH, TestAudioFolder, TestRecognizer } from '../test/test-recognizer.ts'
import { waitUntil } from '../test/wait.ts'

const THREE_HOURS_SECONDS = 3 * 60 * 60
/** Samples per AAC frame. */
const AAC_FRAME_SAMPLES = 1024
const MONO_OPTIONS = ['-i', SAMPLE_CALL_PATH, '-af', 'pan=mono|c0=c0+c1', '-b:a', '32k']

/** Defines a test that runs only in thorough mode, because it is slow and a faster test covers almost the same. */
const itThorough = (title: string, run: () => Promise<void>) => void (chooseRepeatCount(0, 1) > 0 && it(title, run))

describe('hostile and broken files', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  const flac = (seconds: number) =>
    sounds.generateFile(`${seconds}.flac`, `anullsrc=r=8000:cl=mono:d=${seconds}`, '-compression_level', '0')

  /** Creates a 3gp file whose track declares the EVRC codec. */
  function createEvrcFile(): Buffer {
    const bytes = readFileSync(sounds.encodeFile('call.3gp', '-i', 'samples/call.amr', '-c', 'copy'))
    bytes.write('sevc', bytes.indexOf('samr'))
    return bytes
  }

  const rawAlaw = () => sounds.encodeFile('call.al', '-i', SAMPLE_CALL_PATH, '-ac', '1', '-ar', '8000', '-f', 'alaw')

  describe('unsupported audio', () => {
    const cases: [string, () => string | Buffer][] = [
      ['an empty file', () => Buffer.alloc(0)],
      ['one byte', () => Buffer.from('R')],
      ['a text file', () => Buffer.from('This is not a call.\n'.repeat(1000))],
      ['a picture', () => sounds.generateFile('picture.png', 'testsrc=duration=1', '-frames:v', '1')],
      ['an animated picture', () => sounds.generateFile('picture.gif', 'testsrc=duration=1:size=64x64')],
      [
        'a video without audio',
        () => sounds.generateFile('film.mp4', 'testsrc=duration=1:size=64x64', '-c:v', 'mpeg4'),
      ],
      ['an archive', () => gzipSync(readFileSync('package-lock.json'))],
      ['a program', () => readFileSync('/bin/ls')],
      ['random bytes', () => Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i * 31 + i * 7) % 251))],
      ['raw A-law that resembles GSM in silence', rawAlaw],
      ['raw A-law with only silence', () => Buffer.alloc(80_000, 0xd5)],
      ['tracker music', makeTrackerModuleAudio],
      ['one-bit audio', makeDsdAudio],
      ['EVRC', createEvrcFile],
      ['a wav header without samples', () => makeWavWithHeader({ data: Buffer.alloc(0) })],
      ['half of a wav header', () => readFileSync(SAMPLE_CALL_PATH).subarray(0, 20)],
      ['a wav of 1 Hz', () => makeWavWithHeader({ rate: 1, data: Buffer.alloc(200_000) })],
      ['a wav of 4 GHz', () => makeWavWithHeader({ rate: 4_000_000_000 })],
      ['a wav of 1000 channels', () => makeWavWithHeader({ channels: 1000, data: Buffer.alloc(200_000) })],
      ['a wav of 65,535 channels', () => makeWavWithHeader({ channels: 65_535, data: Buffer.alloc(1_000_000) })],
      ['a wav of no channels', () => makeWavWithHeader({ channels: 0 })],
    ]
    for (const [what, make] of cases) {
      it(`the recognizer rejects ${what} as unsupported audio`, async () => {
        const { code, message } = await recognizer.transcribeError(make())
        expect(code).to.equal('UNSUPPORTED_AUDIO')
        expect(message)
          .to.match(/^[A-Z].*\.$/)
          .and.not.include('/tmp')
      })
    }
  })

  it('the recognizer transcribes the remaining audio of a truncated file', async () => {
    const mp3 = readFileSync(sounds.encodeFile('call.mp3', ...MONO_OPTIONS))
    const { text, durationSeconds } = await recognizer.transcript(mp3.subarray(0, mp3.length / 2))
    expect(text.toLowerCase()).to.include('waiting for my delivery')
    expect(durationSeconds).to.be.closeTo(8.75, 0.3)
  })

  it('the recognizer transcribes the audio before and after damage', async () => {
    const mp3 = readFileSync(sounds.encodeFile('damaged.mp3', ...MONO_OPTIONS))
    const middle = Math.floor(mp3.length / 2)
    mp3.fill(0x55, middle, middle + 1000)
    const { text } = await recognizer.transcript(mp3)
    expect(text.toLowerCase()).to.include('delivery').and.include('thank you very much')
  })

  describe('audio over three hours', () => {
    itThorough('the recognizer rejects ten hours of silence in a small file as too long', async () => {
      const file = flac(36_000)
      expect(readFileSync(file).length).to.be.lessThan(25_000_000)
      expect((await recognizer.transcribeError(file)).code).to.equal('AUDIO_TOO_LONG')
    })

    it('the recognizer rejects a wav file of 10,801 s as too long', async () => {
      const bytes = makeWavWithHeader({
        rate: 4000,
        bits: 8,
        data: Buffer.alloc(4000 * (THREE_HOURS_SECONDS + 1), 128),
      })
      expect((await recognizer.transcribeError(bytes)).code).to.equal('AUDIO_TOO_LONG')
    })

    it('the recognizer rejects over three hours of audio whose header claims ten seconds', async () => {
      const bytes = readFileSync(flac(THREE_HOURS_SECONDS + 60))
      // In STREAMINFO, the number of samples has 36 bits: the low half of byte 21 and the next four bytes.
      bytes[21] = bytes[21]! & 0xf0
      bytes.writeUInt32BE(80_000, 22)
      expect((await recognizer.transcribeError(bytes)).code).to.equal('AUDIO_TOO_LONG')
    })
  })

  describe('limit of three hours', () => {
    it('the recognizer accepts audio of exactly three hours', async () => {
      const { durationSeconds, text } = await recognizer.transcript(flac(THREE_HOURS_SECONDS))
      expect({ durationSeconds, text }).to.deep.equal({ durationSeconds: THREE_HOURS_SECONDS, text: '' })
    })

    it('audio over three hours is too long; lossy codecs get half a second more', () => {
      const lossless = [THREE_HOURS_SECONDS, THREE_HOURS_SECONDS + 0.004, THREE_HOURS_SECONDS + 0.02]
      expect(lossless.map((seconds) => isAudioTooLong(seconds, { lossless: true }))).to.deep.equal([false, false, true])
      const lossy = [THREE_HOURS_SECONDS + 0.5, THREE_HOURS_SECONDS + 0.52]
      expect(lossy.map((seconds) => isAudioTooLong(seconds, { lossless: false }))).to.deep.equal([false, true])
    })

    itThorough('the recognizer rejects a flac file of 10,800.02 s as too long', async () => {
      expect((await recognizer.transcribeError(flac(THREE_HOURS_SECONDS + 0.02))).code).to.equal('AUDIO_TOO_LONG')
    })

    itThorough('aac of three hours passes despite codec padding, and a second more is too long', async () => {
      const frame = createSilentAdtsFrame()
      const adts = (seconds: number) =>
        Buffer.alloc(frame.length * (Math.ceil((seconds * 8000) / AAC_FRAME_SAMPLES) + 1), frame)
      expect((await recognizer.transcript(adts(THREE_HOURS_SECONDS))).durationSeconds).to.be.closeTo(
        THREE_HOURS_SECONDS,
        0.5,
      )
      expect((await recognizer.transcribeError(adts(THREE_HOURS_SECONDS + 1))).code).to.equal('AUDIO_TOO_LONG')
    })
  })

  /** Returns a silent AAC frame at 8 kHz. Joining copies of it is faster than encoding hours of silence. */
  function createSilentAdtsFrame(): Buffer {
    const bytes = readFileSync(sounds.generateFile('silence.aac', 'anullsrc=r=8000:cl=mono:d=2', '-c:a', 'aac'))
    const lengthAt = (at: number) => (bytes.readUInt32BE(at + 2) >> 5) & 0x1fff
    let at = 0
    for (let n = 0; n < 5; n++) at += lengthAt(at)
    return bytes.subarray(at, at + lengthAt(at))
  }

  it('ffmpeg and ffprobe open no tracks whose codec is not on the allowlist', async () => {
    const file = sounds.encodeFile('call.mkv', '-i', SAMPLE_CALL_PATH, '-c:a', 'tta')
    expect((await recognizer.transcribeError(file)).code).to.equal('UNSUPPORTED_AUDIO')
    const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=3', '-i', SAMPLE_CALL_PATH, '-shortest']
    const withPicture = sounds.encodeFile('film.mkv', ...film, '-c:v', 'ffv1', '-c:a', 'flac')
    for (const opened of [file, withPicture]) {
      expect((await waitForProcessExit(spawnMediaProgram('ffprobe', opened, ['-show_streams']))).code).to.equal(1)
    }
    expect((await waitForProcessExit(spawnMediaProgram('ffmpeg', file, ['-f', 'null', '-']))).code).to.not.equal(0)
    expect((await recognizer.transcript(withPicture)).durationSeconds).to.be.closeTo(3, 0.3)
  })

  describe('references to other files', () => {
    /**
     * Text in the target file and a word in its audio, so that the test detects a leak of either. The audio is mp3, because
     * ffmpeg accepts no wav in HLS.
     */
    const MARKER = 'xylophone-marker-5417'
    const SPOKEN = 'delivery'
    let marker: { sound: string; text: string; folder: string }
    before(() => {
      const folder = join(sounds.folder, 'private')
      mkdirSync(folder)
      const audioPath = sounds.encodeFile('private/marker.mp3', '-i', SAMPLE_CALL_PATH)
      const text = join(folder, 'marker.txt')
      writeFileSync(text, `${MARKER}\n`.repeat(100))
      marker = { sound: audioPath, text, folder }
    })

    type Make = (audioPath: string, text: string, folder: string) => string | Buffer
    const hls = (...lines: string[]) => `#EXTM3U\n#EXT-X-TARGETDURATION:20\n${lines.join('\n')}\n#EXT-X-ENDLIST\n`
    const cases: [string, Make][] = [
      ['HLS with an absolute path', (audioPath) => hls('#EXTINF:17,', audioPath)],
      ['HLS with a file address', (audioPath) => hls('#EXTINF:17,', `file://${audioPath}`)],
      ['HLS with a file: path', (audioPath) => hls('#EXTINF:17,', `file:${audioPath}`)],
      ['HLS with a path outside the folder', (audioPath) => hls('#EXTINF:17,', `../../../../../../..${audioPath}`)],
      ['HLS with itself as a segment', () => hls('#EXTINF:17,', 'audio')],
      [
        'HLS with an external initialization segment',
        (audioPath) => hls(`#EXT-X-MAP:URI="${audioPath}"`, '#EXTINF:17,', audioPath),
      ],
      [
        'HLS with a key file',
        (audioPath, text) => hls(`#EXT-X-KEY:METHOD=AES-128,URI="${text}"`, '#EXTINF:17,', audioPath),
      ],
      ['HLS with the concat protocol', (audioPath, text) => hls('#EXTINF:17,', `concat:${text}|${audioPath}`)],
      ['HLS with the subfile protocol', (audioPath) => hls('#EXTINF:17,', `subfile,,start,0,end,0,,:${audioPath}`)],
      ['HLS master playlist', (audioPath) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${audioPath}\n`],
      ['ffconcat with an absolute path', (audioPath) => `ffconcat version 1.0\nfile '${audioPath}'\n`],
      ['ffconcat with a relative path', (audioPath) => `ffconcat version 1.0\nfile ../../..${audioPath}\n`],
      ['ffconcat with options', (audioPath) => `ffconcat version 1.0\nfile '${audioPath}'\noption safe 0\n`],
      [
        'SDP',
        (audioPath) =>
          `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\na=control:file:${audioPath}\nm=audio 9 RTP/AVP 0\n`,
      ],
      ['ASX', (audioPath) => `<asx version="3.0"><entry><ref href="file://${audioPath}"/></entry></asx>`],
      ['M3U', (audioPath) => `#EXTM3U\n#EXTINF:17,call\n${audioPath}\n`],
      ['PLS', (audioPath) => `[playlist]\nFile1=${audioPath}\nNumberOfEntries=1\nVersion=2\n`],
      [
        'XSPF',
        (audioPath) =>
          `<playlist version="1"><trackList><track><location>file://${audioPath}</location></track></trackList></playlist>`,
      ],
      ['SMIL', (audioPath) => `<smil><body><audio src="file://${audioPath}"/></body></smil>`],
      [
        'DASH',
        (audioPath) =>
          `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT17S">` +
          `<Period><AdaptationSet mimeType="audio/wav"><Representation id="1" bandwidth="1"><BaseURL>file://${audioPath}</BaseURL>` +
          `<SegmentBase/></Representation></AdaptationSet></Period></MPD>`,
      ],
      [
        'IMF',
        (audioPath) =>
          `<?xml version="1.0"?><CompositionPlaylist><Id>x</Id><Path>${audioPath}</Path></CompositionPlaylist>`,
      ],
      ['SubRip', (_, text) => `1\n00:00:00,000 --> 00:00:10,000\n${text}\n`],
      ['WebVTT', (_, text) => `WEBVTT\n\n00:00.000 --> 00:10.000\n<c.file>${text}</c>\n`],
      [
        'ASS',
        (_, text) =>
          `[Script Info]\nScriptType: v4.00+\n[Events]\nDialogue: 0,0:00:00.00,0:00:10.00,,,0,0,0,,${text}\n`,
      ],
      ['SAMI', (_, text) => `<SAMI><BODY><SYNC Start=0><P><IMG SRC="${text}"></BODY></SAMI>`],
      [
        'VobSub',
        (_, text) =>
          `# VobSub index file, v7\nsize: 720x576\nid: en, index: 0\ntimestamp: 00:00:01:000, filepos: 0\n# ${text}\n`,
      ],
      [
        'SVG',
        (_, text) => `<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="file://${text}"/></svg>`,
      ],
      ['ffmetadata', (_, text) => `;FFMETADATA1\ntitle=${text}\n`],
      ['a filter graph', (audioPath) => `amovie=${audioPath}`],
      ['RTSP redirect', (audioPath) => `[Reference]\nRef1=file://${audioPath}\n`],
      ['mov with external samples', (audioPath) => createExternalMov(audioPath)],
      [
        'matroska with an attached file',
        (_, text) =>
          sounds.encodeFile(
            'attached.mkv',
            '-f',
            'lavfi',
            '-i',
            'anullsrc=d=2',
            '-attach',
            text,
            '-metadata:s:t',
            'mimetype=text/plain',
          ),
      ],
    ]

    for (const [what, make] of cases) {
      it(`a file renamed to wav reveals no other file: ${what}`, async () => {
        const body = make(marker.sound, marker.text, marker.folder)
        const { text } = await recognizer.transcribe(
          typeof body === 'string' && !body.endsWith('.mkv') ? Buffer.from(body) : body,
        )
        expect(text.toLowerCase()).to.not.include(MARKER).and.not.include(SPOKEN).and.not.include(marker.folder)
        expect(text).to.match(/UNSUPPORTED_AUDIO|"segments":\[\]/)
      })
    }

    /** Creates a mov file whose track takes its samples from `path`, with an alias record of QuickTime. */
    function createExternalMov(path: string): Buffer {
      const bytes = readFileSync(sounds.generateFile('self.mov', 'anullsrc=r=8000:cl=mono:d=20', '-c:a', 'pcm_s16le'))
      const at = bytes.indexOf('dref') + 4 + 8
      const record = Buffer.alloc(150)
      const tail = Buffer.alloc(4 + path.length + (path.length % 2) + 4)
      tail.writeInt16BE(2, 0) // Kind 2 is an absolute path.
      tail.writeInt16BE(path.length, 2)
      tail.write(path, 4)
      tail.writeInt16BE(-1, tail.length - 4)
      const entry = Buffer.concat([Buffer.alloc(12), record, tail])
      entry.writeUInt32BE(entry.length, 0)
      entry.write('alis', 4)
      const growth = entry.length - bytes.readUInt32BE(at)
      // The tables come after the samples, so only the sizes of the boxes around the entry change.
      for (const box of ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']) {
        const size = bytes.indexOf(box, bytes.lastIndexOf('moov')) - 4
        bytes.writeUInt32BE(bytes.readUInt32BE(size) + growth, size)
      }
      return Buffer.concat([bytes.subarray(0, at), entry, bytes.subarray(at + bytes.readUInt32BE(at))])
    }
  })

  it('no ffmpeg process remains after hostile files', async () => {
    await waitUntil('no ffmpeg process remains', () => recognizer.childPids().length === 0)
  })
})
