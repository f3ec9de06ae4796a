import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { SAMPLE_CALL_PATH, TestAudioFolder, TestRecognizer, normalizeTranscriptText } from '../test/test-recognizer.ts'

/** The audio pauses for 20 s at second 9, and the file has no packets for the pause. */
const PAUSE_OPTIONS = ['-i', SAMPLE_CALL_PATH, '-af', String.raw`asetpts=PTS+if(gt(T\,9)\,20\,0)/TB`]
const SECONDS = 17.5

describe('audio timeline', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  let recognized: { text: string; lastEnd: number }
  before(async () => {
    recognizer = await TestRecognizer.start()
    const { text, segments } = await recognizer.transcript(SAMPLE_CALL_PATH)
    recognized = { text: normalizeTranscriptText(text), lastEnd: segments.at(-1)!.end }
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  describe('missing packets', () => {
    for (const name of ['gap.webm', 'gap.mkv', 'gap.ogg', 'gap.m4a', 'gap.mov']) {
      it(`a gap without packets becomes silence: ${name}`, async () => {
        const codec = /mov|m4a/.test(name) ? ['-c:a', 'aac', '-b:a', '64k'] : ['-c:a', 'libopus']
        const { segments, durationSeconds } = await recognizer.transcript(
          sounds.encodeFile(name, ...PAUSE_OPTIONS, ...codec),
        )
        expect(durationSeconds).to.be.closeTo(SECONDS + 20, 0.15)
        expect(segments[0]!.start).to.be.lessThan(2)
        expect(segments.at(-1)!.end).to.be.closeTo(recognized.lastEnd + 20, 0.5)
        expect(segments.filter(({ start, end }) => start > 10 && end < 28)).to.deep.equal([])
      })
    }

    for (const name of ['a.3gp', 'a.mov', 'a.mkv', 'a.amr']) {
      it(`silence that AMR omits is restored, also at the end: ${name}`, async () => {
        const file = sounds.encodeFile(name, '-i', 'samples/call.amr', '-c', 'copy')
        const { segments, durationSeconds } = await recognizer.transcript(file)
        expect(durationSeconds).to.be.closeTo(SECONDS, 0.03)
        expect(segments.at(-1)!.end).to.be.closeTo(recognized.lastEnd, 0.4)
      })
    }

    it('audio that starts later than the video begins with silence', async () => {
      const film = [
        '-f',
        'lavfi',
        '-i',
        'testsrc=size=64x64:rate=5:duration=20',
        '-itsoffset',
        '5',
        '-i',
        SAMPLE_CALL_PATH,
      ]
      const file = sounds.encodeFile(
        'late.mkv',
        ...film,
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-c:v',
        'mpeg4',
        '-c:a',
        'libopus',
      )
      const { durationSeconds, segments } = await recognizer.transcript(file)
      expect(durationSeconds).to.be.closeTo(SECONDS + 5, 0.1)
      expect(segments.at(-1)!.end).to.be.closeTo(recognized.lastEnd + 5, 0.5)
    })
  })

  it('no audio is lost if the timestamps restart', async () => {
    const ogg = readFileSync(sounds.encodeFile('part.ogg', '-i', SAMPLE_CALL_PATH, '-c:a', 'libopus'))
    const { durationSeconds, text } = await recognizer.transcript(Buffer.concat([ogg, ogg]))
    // ffmpeg adds up to a second between the two files.
    expect(durationSeconds).to.be.within(2 * SECONDS - 0.1, 2 * SECONDS + 1.5)
    expect(normalizeTranscriptText(text).split('waiting for my delivery')).to.have.length(3)
  })

  describe('joined files with different sample rates', () => {
    const MONO = ['-i', SAMPLE_CALL_PATH, '-af', 'pan=mono|c0=c0+c1']
    const BARE_MP3 = ['-c:a', 'libmp3lame', '-write_xing', '0', '-id3v2_version', '0']
    const kinds: [ending: string, codec: string[]][] = [
      ['ogg', ['-c:a', 'libvorbis']],
      ['mp3', BARE_MP3],
      ['aac', ['-c:a', 'aac']],
    ]
    for (const [ending, codec] of kinds) {
      it(`joined files with different sample rates keep the times of the audio: ${ending}`, async () => {
        const silence = readFileSync(
          sounds.generateFile(`silence.${ending}`, 'anullsrc=r=16000:cl=mono:d=2', ...codec, '-ar', '16000'),
        )
        const call = readFileSync(sounds.encodeFile(`call.${ending}`, ...MONO, ...codec, '-ar', '44100'))
        const { text, segments, durationSeconds } = await recognizer.transcript(Buffer.concat([silence, call]))
        expect(durationSeconds).to.be.closeTo(SECONDS + 2, 0.3)
        expect(segments.at(-1)!.end).to.be.closeTo(recognized.lastEnd + 2, 0.5)
        expect(normalizeTranscriptText(text)).to.include('waiting for my delivery')
      })
    }
  })

  it('times stay within a file that ends in the middle of a word', async () => {
    for (const end of ['2.4', '5.3', '6.1', '8.03', '16.2']) {
      const answer = await recognizer.transcribe(
        sounds.encodeFile(`until-${end}.wav`, '-t', end, '-i', SAMPLE_CALL_PATH),
      )
      const result = answer.lines.at(-1)
      if (result?.type !== 'result') throw new Error('no result')
      const spans = [...result.transcript.segments.map(({ start, end }) => [start, end]), ...result.words.flat()]
      expect(spans).to.have.length.above(2)
      for (const [from, to] of spans) {
        expect(from).to.be.at.least(0)
        expect(to).to.be.above(from).and.at.most(result.durationSeconds)
      }
    }
  })

  describe('wrong lengths in headers', () => {
    const HOURS = 20_000
    const cases: [string, () => Buffer][] = [
      [
        'flac',
        () => {
          const bytes = readFileSync(sounds.encodeFile('lie.flac', '-i', SAMPLE_CALL_PATH))
          bytes.writeUInt32BE(8000 * HOURS, 22) // STREAMINFO stores the low 32 bits of the number of samples here.
          return bytes
        },
      ],
      [
        'aiff',
        () => {
          const bytes = readFileSync(sounds.encodeFile('lie.aiff', '-i', SAMPLE_CALL_PATH))
          bytes.writeUInt32BE(8000 * HOURS, bytes.indexOf('COMM') + 10)
          bytes.writeUInt32BE(8000 * HOURS * 4 + 8, bytes.indexOf('SSND') + 4)
          return bytes
        },
      ],
      [
        'piped aiff with a placeholder',
        () => {
          const bytes = readFileSync(sounds.encodeFile('pipe.aiff', '-i', SAMPLE_CALL_PATH))
          bytes.writeUInt32BE(0x7f_ff_ff_ff, bytes.indexOf('COMM') + 10)
          bytes.writeUInt32BE(0x7f_ff_ff_ff, bytes.indexOf('SSND') + 4)
          bytes.writeUInt32BE(0x7f_ff_ff_ff, 4)
          return bytes
        },
      ],
      [
        'rf64',
        () => {
          const bytes = readFileSync(sounds.encodeFile('lie.wav', '-i', SAMPLE_CALL_PATH, '-rf64', 'always'))
          const ds64 = bytes.indexOf('ds64')
          bytes.writeBigUInt64LE(BigInt(8000 * 4 * HOURS), ds64 + 16)
          bytes.writeBigUInt64LE(BigInt(8000 * HOURS), ds64 + 24)
          return bytes
        },
      ],
      [
        'ogg',
        () =>
          moveOggEnd(
            readFileSync(sounds.encodeFile('lie.ogg', '-i', SAMPLE_CALL_PATH, '-c:a', 'libopus')),
            48_000 * HOURS,
          ),
      ],
    ]
    for (const [what, make] of cases) {
      it(`a wrong header does not change the length: ${what}`, async () => {
        const { durationSeconds, text } = await recognizer.transcript(make())
        expect(durationSeconds).to.be.closeTo(SECONDS, 0.1)
        expect(normalizeTranscriptText(text)).to.include('waiting for my delivery')
      })
    }
  })
})

/** Changes the end position of the last page of an Ogg file (RFC 3533), and its checksum. */
function moveOggEnd(bytes: Buffer, samples: number): Buffer {
  const page = bytes.lastIndexOf('OggS')
  bytes.writeBigUInt64LE(BigInt(samples), page + 6)
  bytes.writeUInt32LE(0, page + 22)
  let sum = 0
  for (const byte of bytes.subarray(page)) {
    sum ^= byte << 24
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80_00_00_00 ? (sum << 1) ^ 0x04_c1_1d_b7 : sum << 1
  }
  bytes.writeUInt32LE(sum >>> 0, page + 22)
  return bytes
}
