import { expect } from 'chai'
import { VAD_SAMPLE_RATE } from '../../vad.ts'
import { ModelRunQueue, type QueuedFileHandle, type SpeechWindowModel } from './run-queue.ts'
import type { SpeechWindowRow, SpeechWindow, SpeechWindowText } from './speech-window.ts'

/** The same limits as MAX_WINDOWS_PER_MODEL_RUN and MAX_AUDIO_SECONDS_PER_MODEL_RUN. */
const RUN_LIMITS = { rows: 8, seconds: 48 }

/** Creates a window of the given length. Its first sample identifies it. */
function createWindow(name: number, seconds: number): SpeechWindow {
  const samples = new Float32Array(seconds * VAD_SAMPLE_RATE)
  samples[0] = name
  return { samples, speech: seconds }
}

const nameOf = ({ samples }: SpeechWindow) => samples[0]!

/** A model whose runs end when the test decides. It returns the names of the windows as texts. */
class ControlledModel implements SpeechWindowModel {
  readonly runs: SpeechWindowRow[][] = []
  private end: ((error?: Error) => void) | undefined

  read(rows: SpeechWindowRow[]): Promise<(SpeechWindowText | undefined)[]> {
    if (this.end) throw new Error('two runs at once')
    this.runs.push(rows)
    return new Promise((resolve, reject) => {
      this.end = (error) => {
        this.end = undefined
        if (error) reject(error)
        resolve(rows.map((row) => (row.signal.aborted ? undefined : [createWord(String(nameOf(row)))])))
      }
    })
  }

  /** Ends the current run and waits until the queue has started the next one. */
  async endRun(error?: Error): Promise<void> {
    this.end!(error)
    await new Promise((resolve) => setImmediate(resolve))
  }

  async endAll(): Promise<void> {
    while (this.end) await this.endRun()
  }

  get names(): number[][] {
    return this.runs.map((rows) => rows.map(nameOf))
  }
}

const createWord = (text: string) => ({ start: 0, end: 1, text, confidence: 1 })

const collectTexts = async (readings: Promise<SpeechWindowText | undefined>[]) =>
  (await Promise.all(readings)).map((reading) => reading?.[0]!.text)

const reasonOf = (error: unknown) => (error as Error).message

describe('queue of shared runs', () => {
  let model: ControlledModel
  let queue: ModelRunQueue
  beforeEach(() => {
    model = new ControlledModel()
    queue = new ModelRunQueue(model)
  })

  const begin = (signal = new AbortController().signal) => queue.join('greedy', signal)
  const ask = (file: QueuedFileHandle, ...heard: SpeechWindow[]) => queue.read(file, heard)
  const stretches = (count: number, first: number, seconds: number) =>
    Array.from({ length: count }, (_, n) => createWindow(first + n, seconds))

  it('windows of several files share a run, and each file gets its own text', async () => {
    const [first, one, other] = [
      ask(begin(), createWindow(0, 9)),
      ask(begin(), createWindow(1, 4)),
      ask(begin(), ...stretches(2, 2, 4)),
    ]
    await model.endAll()
    expect(model.names).to.deep.equal([[0], [1, 2, 3]])
    expect(await collectTexts([...first, ...one, ...other])).to.deep.equal(['0', '1', '2', '3'])
  })

  it('a run stays within its limits and combines similar lengths of any file', async () => {
    void ask(begin(), createWindow(0, 1))
    for (let file = 0; file < 4; file++)
      void ask(begin(), ...stretches(4, 100 * file, 5), ...stretches(4, 100 * file, 12))
    await model.endAll()
    const lengths = model.runs.slice(1).map((rows) => rows.map(({ samples }) => samples.length / VAD_SAMPLE_RATE))
    expect(lengths).to.have.length(16 / 4 + 16 / 8)
    for (const run of lengths) {
      expect(run.length).to.be.at.most(RUN_LIMITS.rows)
      expect(run.length * Math.max(...run)).to.be.at.most(RUN_LIMITS.seconds)
      expect(new Set(run).size).to.equal(1)
    }
  })

  it('a short call waits only for the current run, not for a long call', async () => {
    void ask(begin(), ...stretches(40, 0, 20))
    await model.endRun()
    const short = ask(begin(), ...stretches(3, 100, 3))
    await model.endRun()
    expect(model.names.at(-1)).to.include.members([100, 101, 102])
    await model.endRun()
    expect(await collectTexts(short)).to.deep.equal(['100', '101', '102'])
    expect(model.names.length).to.be.below(20)
    await model.endAll()
  })

  it('a long call makes progress while short calls keep arriving', async () => {
    const long = begin()
    void ask(long, ...stretches(4, 0, 20))
    let runs = 0
    // These windows are too long to share a run, so each one gets its own.
    for (; model.names.flat().filter((name) => name < 4).length < 4; runs++) {
      for (let n = 0; n < 3; n++) void ask(begin(), createWindow(100, 47))
      await model.endRun()
      expect(runs).to.be.below(60)
    }
    await model.endAll()
  })

  it('the queue recognizes earlier batches of a file before later ones', async () => {
    const file = begin()
    void ask(file, createWindow(0, 3), createWindow(1, 2))
    void ask(file, createWindow(2, 20), createWindow(3, 20))
    await model.endAll()
    expect(model.names.slice(0, 2).map(([first]) => first)).to.deep.equal([0, 2])
    const later = begin()
    void ask(later, createWindow(4, 30))
    void ask(later, createWindow(5, 2))
    void ask(later, createWindow(6, 40))
    await model.endAll()
    expect(model.names.slice(2).flat()).to.deep.equal([4, 5, 6])
  })

  it('aborting a file drops its waiting windows and keeps those of other files', async () => {
    const abort = new AbortController()
    const [gone, other] = [begin(abort.signal), begin()]
    const under = ask(gone, createWindow(0, 4))
    const [waiting, theirs] = [ask(gone, ...stretches(3, 1, 4)), ask(other, ...stretches(2, 10, 4))]
    abort.abort()
    // The current run is still in progress.
    expect(await collectTexts(waiting)).to.deep.equal([undefined, undefined, undefined])
    await model.endAll()
    expect(await collectTexts([...under, ...theirs])).to.deep.equal([undefined, '10', '11'])
    expect(model.names).to.deep.equal([[0], [10, 11]])
    expect(await collectTexts(ask(gone, createWindow(5, 4)))).to.deep.equal([undefined])
    expect(model.runs).to.have.length(2)
  })

  it('a file whose run fails loses its waiting windows, and other files continue', async () => {
    const [one, two, three] = [begin(), begin(), begin()]
    const first = ask(one, createWindow(0, 20))
    const failing = [
      ...ask(one, createWindow(1, 10)),
      ...ask(two, createWindow(2, 20), createWindow(3, 20)),
      ...ask(three, createWindow(4, 2)),
    ]
    await model.endRun()
    const [besides, waiting] = [ask(three, createWindow(5, 2)), ask(two, createWindow(6, 47))]
    const ends = failing.map((reading) => reading.catch(reasonOf))
    expect(model.names.at(-1)).to.have.members([2, 3])
    await model.endRun(new Error('the model broke'))
    await model.endAll()
    expect(await collectTexts([...first, ...besides])).to.deep.equal(['0', '5'])
    const [ones, twos, twosOther, threes] = await Promise.all(ends)
    expect([twos, twosOther]).to.deep.equal(['the model broke', 'the model broke'])
    expect([ones, threes]).to.deep.equal([[createWord('1')], [createWord('4')]])
    expect(await collectTexts(waiting)).to.deep.equal([undefined])
  })

  it('a failed shared run is repeated for each file alone', async () => {
    const [one, two, three] = [begin(), begin(), begin()]
    const first = ask(one, createWindow(0, 20))
    const [bad, good] = [ask(two, createWindow(1, 10)), ask(three, createWindow(2, 10))]
    const end = bad[0]!.catch(reasonOf)
    for (const error of [undefined, new Error('together'), new Error('alone'), undefined]) await model.endRun(error)
    expect(model.names).to.deep.equal([[0], [1, 2], [1], [2]])
    expect(await end).to.equal('alone')
    expect(await collectTexts([...first, ...good])).to.deep.equal(['0', '2'])
  })

  it('the queue passes the decoder of each file to the model', async () => {
    void ask(begin(), createWindow(0, 4))
    void queue.read(queue.join('beam_search', new AbortController().signal), [createWindow(1, 4)])
    void ask(begin(), createWindow(2, 4))
    await model.endAll()
    expect(model.runs[1]!.map((row) => [nameOf(row), row.decoder])).to.deep.equal([
      [1, 'beam_search'],
      [2, 'greedy'],
    ])
  })
})
