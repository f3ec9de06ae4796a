import { Segmenter } from '../../segmenter.ts'
import { FRAME, loadVad, Vad, VAD_RATE } from '../../vad.ts'
import type { Engine, EngineConfig, Piece, Recognition } from '../engine.ts'
import { prepare } from './info.ts'
import { Moonshine } from './model.ts'
import { RunQueue } from './run-queue.ts'
import { WindowReader } from './window-reader.ts'

/** Loads the model and the voice activity detector into memory. */
export async function load(config: EngineConfig): Promise<Engine> {
  const model = await Moonshine.load(config.ASR_MODEL)
  const vad = await loadVad()
  // The first run of a session is slow: not the first caller's time.
  const { signal } = new AbortController()
  await model.read([{ samples: new Float32Array(VAD_RATE), speech: 0, decoder: 'greedy', signal }])
  const queue = new RunQueue(model)
  return {
    info: await prepare(config),
    sampleRate: VAD_RATE,
    recognise: (decoder, signal, channels) =>
      new WindowedRecognition(
        Array.from({ length: channels }, () => new Channel(new Vad(vad))),
        model,
        new WindowReader(queue, queue.join(decoder, signal)),
        signal,
      ),
  }
}

/** From here on a text is long: what reading it took makes room for putting it together. About half an hour. */
const MANY_WINDOWS = 200

/** Cuts the channels of a file into windows of speech and has them read together. */
class WindowedRecognition implements Recognition {
  private readonly channels: Channel[]
  private readonly model: Moonshine
  private readonly reader: WindowReader
  private readonly signal: AbortSignal
  private windows = 0

  constructor(channels: Channel[], model: Moonshine, reader: WindowReader, signal: AbortSignal) {
    this.channels = channels
    this.model = model
    this.reader = reader
    this.signal = signal
  }

  async accept(channels: Int16Array[]): Promise<Piece[]> {
    for (const [number, samples] of channels.entries()) {
      const channel = this.channels[number]!
      for (let at = 0; at < samples.length;) {
        this.signal.throwIfAborted()
        at += channel.fill(samples, at)
        if (channel.isFull) await this.cut(number)
      }
    }
    return this.reader.take()
  }

  async finish(): Promise<Piece[]> {
    for (const [number, channel] of this.channels.entries()) {
      await this.cut(number)
      const window = channel.segmenter.finish()
      if (window) await this.reader.add(window, number)
    }
    const last = await this.reader.finish()
    if (this.windows > MANY_WINDOWS) this.model.giveBack()
    return last
  }

  unreadFrom(): number | undefined {
    return this.reader.unreadFrom
  }

  settle(): Promise<void> {
    return this.reader.settle()
  }

  private async cut(number: number): Promise<void> {
    const channel = this.channels[number]!
    const frames = channel.take()
    const probabilities = await channel.vad.probabilities(frames)
    for (const [index, frame] of frames.entries()) {
      const window = channel.segmenter.accept(frame, probabilities[index]!)
      if (!window) continue
      this.windows++
      await this.reader.add(window, number)
    }
  }
}

/** Frames that the detector is asked about at once: a second of audio. As many in every file, so that all go the same way. */
const FRAMES_AT_ONCE = 32

/** One channel on its way to windows. */
class Channel {
  readonly segmenter = new Segmenter()
  readonly vad: Vad
  private frames: Float32Array[] = []
  /** Samples of the last frame. */
  private filled = FRAME

  constructor(vad: Vad) {
    this.vad = vad
  }

  get isFull(): boolean {
    return this.frames.length === FRAMES_AT_ONCE && this.filled === FRAME
  }

  /** Takes samples from an offset on, as many as a frame has room for; returns their number. */
  fill(samples: Int16Array, from: number): number {
    if (this.filled === FRAME) {
      this.frames.push(new Float32Array(FRAME))
      this.filled = 0
    }
    const frame = this.frames.at(-1)!
    const count = Math.min(FRAME - this.filled, samples.length - from)
    for (let i = 0; i < count; i++) frame[this.filled + i] = samples[from + i]! / 32_768
    this.filled += count
    return count
  }

  /** The frames, the last one silent where it is not full, and room for the next. */
  take(): Float32Array[] {
    this.filled = FRAME
    return this.frames.splice(0)
  }
}
