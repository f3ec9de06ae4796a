import { join } from 'node:path'
import { expect } from 'chai'
import { RECOGNIZER_FIXTURES_FOLDER } from '../test/asr-fixtures.ts'
import { SAMPLE_CALL_PATH, TestAudioFolder, TestRecognizer, normalizeTranscriptText } from '../test/test-recognizer.ts'

const AGENT_TEXTS = ['good morning how can i help you today', 'i am sorry about that']
const CLIENT_TEXTS = ['hello i am waiting for my delivery', 'thank you very much for your help']

describe('channels of a call', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  const filtered = (name: string, filter: string, ...options: string[]) =>
    sounds.encodeFile(name, '-i', SAMPLE_CALL_PATH, '-af', filter, ...options)

  it('the recognizer separates the two channels of a call and sorts segments by time', async () => {
    const { text, segments, durationSeconds } = await recognizer.transcript(SAMPLE_CALL_PATH)
    expect(text).to.equal(segments.map((segment) => segment.text).join('\n'))
    const turns = segments.reduce<typeof segments>((before, segment) => {
      const last = before.at(-1)
      if (last?.channel !== segment.channel) return [...before, segment]
      return [...before.slice(0, -1), { ...last, end: segment.end, text: `${last.text} ${segment.text}` }]
    }, [])
    expect(turns.map(({ channel }) => channel)).to.deep.equal([0, 1, 0, 1])
    expect(normalizeTranscriptText(turns[0]!.text)).to.equal(AGENT_TEXTS[0])
    expect(normalizeTranscriptText(turns[1]!.text)).to.include(CLIENT_TEXTS[0])
    expect(normalizeTranscriptText(turns[2]!.text)).to.include(AGENT_TEXTS[1])
    expect(normalizeTranscriptText(turns[3]!.text)).to.include(CLIENT_TEXTS[1])
    expect(durationSeconds).to.equal(17.5)
    for (const [index, start] of [0.6, 3.6, 9.3, 14.2].entries()) {
      expect(turns[index]!.start).to.be.closeTo(start, 0.25)
      expect(turns[index]!.end).to.be.greaterThan(turns[index]!.start)
    }
  })

  for (const [what, filter, options] of [
    ['identical channels', 'pan=stereo|c0=c0+c1|c1=c0+c1', []],
    ['identical channels with one at half volume', 'pan=stereo|c0=c0+c1|c1=0.5*c0+0.5*c1', []],
    ['identical channels with one inverted', 'pan=stereo|c0=c0+c1|c1=-1*c0-1*c1', []],
    ['identical channels in joint stereo', 'pan=stereo|c0=c0+c1|c1=c0+c1', ['-c:a', 'libmp3lame', '-b:a', '48k']],
  ] as [string, string, string[]][]) {
    it(`the recognizer treats ${what} as one channel`, async () => {
      const file = filtered(options.length > 0 ? 'same.mp3' : 'same.wav', filter, ...options)
      const { text, segments } = await recognizer.transcript(file)
      expect(new Set(segments.map(({ channel }) => channel))).to.deep.equal(new Set([0]))
      expect(normalizeTranscriptText(text).split('delivery')).to.have.lengthOf(2)
    })
  }

  it('the recognizer finds a single word of half a second', async () => {
    const word = ['-ss', '7.5', '-t', '0.64', '-i', SAMPLE_CALL_PATH, '-af', 'pan=mono|c0=c1,adelay=500,apad=pad_dur=1']
    const { segments } = await recognizer.transcript(sounds.encodeFile('word.wav', ...word), '?decoder=greedy')
    expect(segments).to.have.length(1)
  })

  for (const word of ['no', 'two', 'four', 'one', 'yeah']) {
    it(`the recognizer transcribes the single short word “${word}”`, async () => {
      const pauses = [
        '-i',
        join(RECOGNIZER_FIXTURES_FOLDER, 'words', `${word}.wav`),
        '-af',
        'adelay=700,apad=pad_dur=1',
      ]
      const { text } = await recognizer.transcript(sounds.encodeFile(`${word}.wav`, ...pauses), '?decoder=greedy')
      expect(normalizeTranscriptText(text)).to.equal(word)
    })
  }

  it('a silent channel stays a separate channel without words', async () => {
    const { segments } = await recognizer.transcript(filtered('right.wav', 'pan=stereo|c0=0*c0|c1=c1'))
    expect(new Set(segments.map(({ channel }) => channel))).to.deep.equal(new Set([1]))
  })

  it('the recognizer separates two channels with faint crosstalk', async () => {
    const file = filtered('talk.wav', 'pan=stereo|c0=c0+0.02*c1|c1=c1+0.02*c0')
    const { segments } = await recognizer.transcript(file)
    expect(new Set(segments.map(({ channel }) => channel))).to.deep.equal(new Set([0, 1]))
  })

  it('the recognizer mixes more than two channels into one', async () => {
    const file = filtered('six.wav', 'pan=6c|c0=c0|c1=c1|c2=c0|c3=c1|c4=c0|c5=c1')
    const { segments, text } = await recognizer.transcript(file)
    expect(new Set(segments.map(({ channel }) => channel))).to.deep.equal(new Set([0]))
    expect(normalizeTranscriptText(text)).to.include(AGENT_TEXTS[0]).and.include(CLIENT_TEXTS[0])
  })

  describe('inverted and quiet channels', () => {
    for (const [name, filter] of [
      ['two of four', 'pan=4c|c0=c0+c1|c1=-1*c0-1*c1|c2=c0+c1|c3=-1*c0-1*c1'],
      ['one of three', 'pan=3c|c0=-1*c0-1*c1|c1=c0+c1|c2=0*c0'],
    ] as const) {
      it(`mixed channels do not cancel each other out with ${name} inverted`, async () => {
        const file = sounds.encodeFile(`${name}.wav`, '-i', SAMPLE_CALL_PATH, '-af', filter)
        const last = (await recognizer.transcribe(file)).lines.at(-1)
        if (last?.type !== 'result') throw new Error('no result')
        expect(last.audio.silent).to.deep.equal([false])
        expect(normalizeTranscriptText(last.transcript.text)).to.include(AGENT_TEXTS[0]).and.include(CLIENT_TEXTS[0])
      })
    }

    it('a channel 30 dB below the other is transcribed, 38 dB below is not', async () => {
      const recognizeFiltered = async (decibels: number) => {
        const filter = `pan=stereo|c0=c0|c1=${10 ** (-decibels / 20)}*c1`
        const { segments } = await recognizer.transcript(
          sounds.encodeFile(`${decibels}.wav`, '-i', SAMPLE_CALL_PATH, '-af', filter),
        )
        return normalizeTranscriptText(segments.filter(({ channel }) => channel === 1).map(({ text }) => text).join(' ')) // prettier-ignore
      }
      expect(await recognizeFiltered(30))
        .to.include(CLIENT_TEXTS[0])
        .and.include(CLIENT_TEXTS[1])
      for (const decibels of [38, 40, 43]) expect(await recognizeFiltered(decibels)).to.equal('')
    })
  })
})

describe('audio statistics of channels', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  /** Recognizes the sample call after a filter and returns the audio statistics and the channels of the segments. */
  async function recognizeFiltered(name: string, filter: string) {
    const { lines } = await recognizer.transcribe(sounds.encodeFile(name, '-i', SAMPLE_CALL_PATH, '-af', filter))
    const last = lines.at(-1)
    if (last?.type !== 'result') throw new Error('no result')
    const { audio, transcript } = last
    return { ...audio, spoken: [...new Set(transcript.segments.map(({ channel }) => channel))] }
  }

  it('the audio statistics of a stereo call have the speech of each channel', async () => {
    const { speechSeconds, ...facts } = await recognizeFiltered('two.wav', 'anull')
    expect(facts).to.deep.equal({
      channels: 2,
      silent: [false, false],
      identical: false,
      clipped: false,
      spoken: [0, 1],
    })
    for (const seconds of speechSeconds) expect(seconds).to.be.within(2, 12)
  })

  it('the audio statistics report a silent channel', async () => {
    const { speechSeconds, ...facts } = await recognizeFiltered('one.wav', 'pan=stereo|c0=0*c0|c1=c1')
    expect(facts).to.deep.equal({ channels: 2, silent: [true, false], identical: false, clipped: false, spoken: [1] })
    expect(speechSeconds[0]).to.equal(0)
  })

  it('the audio statistics report identical channels, which are transcribed once', async () => {
    const { speechSeconds, ...facts } = await recognizeFiltered('twice.wav', 'pan=stereo|c0=c0+c1|c1=c0+c1')
    expect(facts).to.deep.equal({ channels: 2, silent: [false, false], identical: true, clipped: false, spoken: [0] })
    expect(speechSeconds[1]).to.equal(speechSeconds[0])
  })

  it('the audio statistics report clipped audio, which is still transcribed', async () => {
    const { clipped, spoken } = await recognizeFiltered('loud.wav', 'volume=30dB')
    expect({ clipped, spoken }).to.deep.equal({ clipped: true, spoken: [0, 1] })
  })

  it('channels with tones have no speech and are not silent', async () => {
    const sides = ['0.3*sin(2*PI*440*t)*exp(-2*mod(t,1))', '0.3*sin(2*PI*425*t)*lt(mod(t,1),0.5)']
    const file = sounds.generateFile('tones.wav', `aevalsrc='${sides.join('|')}':s=8000:d=8`)
    const last = (await recognizer.transcribe(file)).lines.at(-1)
    expect(last).to.have.property('type', 'result')
    expect(last).to.deep.nested.include({ 'transcript.segments': [], 'audio.speechSeconds': [0, 0], 'audio.silent': [false, false] }) // prettier-ignore
  })
})

describe('audio without speech', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  const tone = (...hertz: number[]) => hertz.map((hz) => `0.25*sin(2*PI*${hz}*t)`).join('+')
  const quiet: [string, string][] = [
    ['digital silence', 'anullsrc=r=8000:cl=mono:d=12'],
    ['white noise', 'anoisesrc=r=8000:c=white:a=0.1:d=12:seed=7'],
    ['loud pink noise', 'anoisesrc=r=8000:c=pink:a=0.8:d=12:seed=7'],
    ['brown noise', 'anoisesrc=r=8000:c=brown:a=0.5:d=12:seed=7'],
    ['a dial tone', `aevalsrc='${tone(350, 440)}':s=8000:d=12`],
    ['a busy tone', `aevalsrc='(${tone(480, 620)})*lt(mod(t,1),0.5)':s=8000:d=12`],
    ['ringing', `aevalsrc='(${tone(440, 480)})*lt(mod(t,6),2)':s=8000:d=12`],
    ['keys', `aevalsrc='(${tone(697, 1209)})*lt(mod(t,0.4),0.2)+(${tone(852, 1477)})*gt(mod(t,0.8),0.6)':s=8000:d=12`],
    ['fax', `aevalsrc='(${tone(1100)})*lt(mod(t,3.5),0.5)':s=8000:d=12`],
    [
      'fax answering',
      `aevalsrc='(${tone(2100)})*lt(mod(t,5),3)+0.25*sin(2*PI*(1700+(100*mod(floor(t*300),2)))*t)*gte(mod(t,5),3)':s=8000:d=12`,
    ],
    ['a number out of service', `aevalsrc='0.25*sin(2*PI*(950+450*floor(mod(t,1)*3))*t)':s=8000:d=12`],
    ['hum of the mains', `aevalsrc='${tone(50, 100, 150)}':s=8000:d=12`],
    ['breathing', `aevalsrc='0.2*(random(0)-0.5)*max(0,sin(2*PI*0.3*t))':s=8000:d=12`],
    ['a chord', `aevalsrc='${tone(262, 330, 392)}':s=8000:d=12`],
    ['a melody', `aevalsrc='0.5*sin(2*PI*(262+65*floor(mod(t*2,5)))*t)*exp(-3*mod(t,0.5))':s=8000:d=12`],
    ['a trembling voice-like tone', `aevalsrc='0.4*sin(2*PI*300*t+5*sin(2*PI*6*t))':s=8000:d=12`],
    ['clicks', `aevalsrc='lt(mod(t,1),0.002)':s=8000:d=12`],
  ]
  for (const [what, graph] of quiet) {
    it(`the recognizer returns no words for ${what}`, async () => {
      const { text, segments } = await recognizer.transcript(sounds.generateFile(`${what}.wav`, graph))
      expect({ text, segments }).to.deep.equal({ text: '', segments: [] })
    })
  }
})
