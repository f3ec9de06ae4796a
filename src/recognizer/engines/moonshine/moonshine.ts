import { Segmenter, type Window } from '../../segmenter.ts'
import { FRAME, loadVad, Vad, VAD_RATE } from '../../vad.ts'
import { byTime, type Engine, type EngineConfig, type Piece } from '../engine.ts'
import { infoOf } from './package.ts'
import { Moonshine } from './model.ts'
import { RunQueue } from './run-queue.ts'
import { WindowReader } from './window-reader.ts'

/** More windows make a long text, about half an hour: before joining it, we free the model's buffers. */
const MANY_WINDOWS = 200

export async function load(config: EngineConfig): Promise<Engine> {
  const model = await Moonshine.load(config.ASR_MODEL)
  const vad = await loadVad()
  // The first run of a session is slow.
  const { signal } = new AbortController()
  await model.read([{ samples: new Float32Array(VAD_RATE), speech: 0, decoder: 'greedy', signal }])
  const queue = new RunQueue(model)

  const transcribe: Engine['transcribe'] = async (pcm, decoder, onProgress, signal) => {
    const reader = new WindowReader(queue, queue.join(decoder, signal))
    const channels: Channel[] = []
    const all: Piece[] = []
    let windows = 0
    const read = async (found: AsyncIterable<Window>, channel: number) => {
      for await (const window of found) {
        windows++
        await reader.add(window, channel)
      }
    }
    try {
      for await (const chunk of pcm) {
        for (const [number, samples] of chunk.entries()) {
          channels[number] ??= new Channel(new Vad(vad), signal)
          await read(channels[number].add(samples), number)
        }
        const pieces = reader.take()
        all.push(...pieces)
        onProgress({ pieces, unreadFrom: reader.unreadFrom })
      }
      for (const [number, channel] of channels.entries()) await read(channel.end(), number)
      all.push(...(await reader.finish()))
    } catch (error) {
      reader.drop()
      throw error
    } finally {
      await reader.settle()
    }
    if (windows > MANY_WINDOWS) model.freeMemory()
    return all.toSorted(byTime)
  }

  return { info: await infoOf(config), sampleRate: VAD_RATE, transcribe }
}

/** Samples that the detector examines at once: a second. Constant in every file, so that results do not depend on chunks. */
const BLOCK = 32 * FRAME

/** Splits one channel into windows of speech. */
class Channel {
  private readonly segmenter = new Segmenter()
  private block = new Float32Array(BLOCK)
  private filled = 0

  constructor(
    private readonly vad: Vad,
    private readonly signal: AbortSignal,
  ) {}

  /** Yields the windows that become complete with these samples. */
  async *add(samples: Int16Array): AsyncGenerator<Window> {
    for (let at = 0; at < samples.length;) {
      const count = Math.min(BLOCK - this.filled, samples.length - at)
      for (let i = 0; i < count; i++) this.block[this.filled + i] = samples[at + i]! / 32_768
      this.filled += count
      at += count
      if (this.filled === BLOCK) yield* this.detect()
    }
  }

  async *end(): AsyncGenerator<Window> {
    yield* this.detect()
    const last = this.segmenter.finish()
    if (last) yield last
  }

  private async *detect(): AsyncGenerator<Window> {
    this.signal.throwIfAborted()
    const { block } = this
    const count = Math.ceil(this.filled / FRAME)
    const frames = Array.from({ length: count }, (_, n) => block.subarray(n * FRAME, (n + 1) * FRAME))
    // The segmenter keeps the frames.
    this.block = new Float32Array(BLOCK)
    this.filled = 0
    const probabilities = await this.vad.probabilities(frames)
    for (const [index, frame] of frames.entries()) {
      const window = this.segmenter.accept(frame, probabilities[index]!)
      if (window) yield window
    }
  }
}
