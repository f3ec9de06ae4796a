import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import {
  decodeMonoAudio,
  COMPARED_SAMPLE_RATE_HZ,
  findAudioOffsetSeconds,
  openAudioPlayer,
  recordAudioPlayback,
} from '../../test/audio-playback.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

const CALL_INPUT = ['-i', 'samples/call.wav', '-af', 'pan=mono|c0=c0+c1']
const MP3_WITHOUT_HEADER = ['-c:a', 'libmp3lame', '-write_xing', '0', '-id3v2_version', '0']
const SPEECH_SECONDS = [4, 14.6]

/** The player seeks with tables in the file. Wrong tables would play another word than the clicked one. */
describeInBrowser('panel: accuracy of seeking in Chromium', (chrome) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-seeking-'))
  let app: TestPanel
  let cookie: string
  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  const encode = (name: string, ...options: string[]): Buffer => {
    const file = join(folder, name)
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...options, file])
    return readFileSync(file)
  }
  const encodeCall = (name: string, ...codec: string[]) => encode(name, ...CALL_INPUT, ...codec)
  const withDataSize = (wav: Buffer, bytes: number): Buffer => {
    wav.writeUInt32LE(bytes, wav.indexOf('data') + 4)
    return wav
  }
  const truncate = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(bytes.length * share))
  /** Encodes two seconds of silence to put before the call. @param rate sample rate in Hz @param codec further ffmpeg arguments */
  const encodeSilence = (name: string, rate: number, ...codec: string[]) =>
    encode(name, '-f', 'lavfi', '-i', `anullsrc=r=${rate}:cl=mono:d=2`, ...codec)

  const mp3 = (name: string, ...codec: string[]) => encodeCall(name, '-c:a', 'libmp3lame', ...codec)
  const files: [name: string, make: () => Buffer, from?: number][] = [
    ['constant.mp3', () => mp3('constant.mp3', '-b:a', '32k')],
    ['variable.mp3', () => mp3('variable.mp3', '-q:a', '6')],
    [
      'variable-from-a-pipe.mp3',
      () =>
        encode(
          'pipe.mp3',
          ...CALL_INPUT.slice(0, 3),
          `${CALL_INPUT[3]},apad=pad_dur=20`,
          ...MP3_WITHOUT_HEADER,
          '-q:a',
          '5',
        ),
    ],
    ['cut-behind-xing.mp3', () => truncate(mp3('whole.mp3', '-q:a', '6'), 0.9)],
    [
      'header-of-the-first.mp3',
      () =>
        Buffer.concat([
          encodeSilence('1.mp3', 8000, '-c:a', 'libmp3lame'),
          encodeCall('2.mp3', ...MP3_WITHOUT_HEADER, '-q:a', '5'),
        ]),
      2,
    ],
    [
      'tag-in-the-middle.mp3',
      () =>
        Buffer.concat([encodeSilence('3.mp3', 8000, '-c:a', 'libmp3lame', '-b:a', '16k'), mp3('4.mp3', '-b:a', '16k')]),
      2,
    ],
    [
      'mono-then-stereo.mp3',
      () => {
        const stereo = encode('6.mp3', ...CALL_INPUT.slice(0, 2), ...MP3_WITHOUT_HEADER, '-ar', '16000')
        return Buffer.concat([encodeSilence('5.mp3', 16_000, ...MP3_WITHOUT_HEADER), stereo])
      },
      2,
    ],
    ['joined.flac', () => Buffer.concat([encodeSilence('silence.flac', 8000), encodeCall('speech.flac')]), 2],
    ['call.m4a', () => encodeCall('call.m4a', '-c:a', 'aac', '-b:a', '48k')],
    [
      'gap.m4a',
      () =>
        encode(
          'gap.m4a',
          ...CALL_INPUT.slice(0, 3),
          `${CALL_INPUT[3]},asetpts=PTS+if(gt(T\\,0.4)\\,5\\,0)/TB`,
          '-c:a',
          'aac',
        ),
      5,
    ],
    ['late.m4a', () => encode('late.m4a', '-itsoffset', '4', '-i', join(folder, 'call.m4a'), '-c', 'copy')],
    ['cut.m4a', () => encode('cut.m4a', '-ss', '0.5', '-i', join(folder, 'call.m4a'), '-c', 'copy'), -0.5],
    [
      'fragments.m4a',
      () => {
        const flags = ['-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '2000000']
        return encodeCall('fragments.m4a', '-c:a', 'aac', ...flags)
      },
    ],
    [
      'two-rates.ogg',
      () => {
        const second = encodeCall('2.ogg', '-c:a', 'libvorbis', '-ar', '44100')
        return Buffer.concat([encodeSilence('1.ogg', 16_000, '-c:a', 'libvorbis'), second])
      },
      2,
    ],
    ['call.aac', () => encodeCall('call.aac', '-c:a', 'aac')],
    ['short-header.wav', () => withDataSize(encodeCall('short.wav'), 16_000)],
    ['joined.wav', () => Buffer.concat([encodeSilence('silence.wav', 16_000), encodeCall('speech.wav')]), 2],
  ]

  for (const [name, makeFile, from = 0] of files) {
    it(`seeking in ${name} plays within 0.3 s of the chosen position`, async () => {
      const bytes = makeFile()
      const file = join(folder, `sent-${name}`)
      writeFileSync(file, bytes)
      const reference = await decodeMonoAudio(file)
      const seconds = reference.length / COMPARED_SAMPLE_RATE_HZ
      const { id } = (await app.ida.upload(bytes, {}, name)).json
      await app.db.query(`UPDATE recordings SET status = 'DONE', duration_seconds = $2 WHERE id = $1`, [id, seconds])
      const positions = SPEECH_SECONDS.map((moment) => moment + from)
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie })
      expect(await openAudioPlayer(page, `/v1/recordings/${id}/playback`)).to.be.closeTo(seconds, 0.3)
      for (const position of positions) {
        // The recorder loses samples on a busy machine, so the test retries. A wrong position stays wrong.
        await waitUntil(`it is heard at ${position}`, async () => {
          const offset = findAudioOffsetSeconds(reference, await recordAudioPlayback(page, position), position)
          return offset !== undefined && Math.abs(offset) <= 0.3
        })
      }
    })
  }
})
