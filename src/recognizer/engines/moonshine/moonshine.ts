import { SpeechSegmenter, type DetectedSpeechWindow } from '../../segmenter.ts'
import { VAD_FRAME_SAMPLES, loadVadSession, VoiceDetector, VAD_SAMPLE_RATE } from '../../vad.ts'
import { compareSpeechPiecesByTime, type Engine, type EngineConfig, type RecognizedPiece } from '../engine.ts'
import { readMoonshineEngineInfo } from './package.ts'
import { MoonshineModel } from './model.ts'
import { ModelRunQueue } from './run-queue.ts'
import { SpeechWindowReader } from './window-reader.ts'

/** Windows in about half an hour of speech. After a longer file, we free the buffers of the model. */
const MANY_WINDOWS = 200

/** Loads the recognition model and the voice detector into the memory of the current thread. */
export async function loadMoonshineEngine(config: EngineConfig): Promise<Engine> {
  const model = await MoonshineModel.load(config.ASR_MODEL)
  const vad = await loadVadSession()
  // The first run of a session is slow, so run it before the first call.
  const { signal } = new AbortController()
  await model.read([{ samples: new Float32Array(VAD_SAMPLE_RATE), speech: 0, decoder: 'greedy', signal }])
  const queue = new ModelRunQueue(model)

  const transcribe: Engine['transcribe'] = async (pcm, decoder, onProgress, signal) => {
    const reader = new SpeechWindowReader(queue, queue.join(decoder, signal))
    const channels: ChannelSegmenter[] = []
    const all: RecognizedPiece[] = []
    let windows = 0
    const read = async (found: AsyncIterable<DetectedSpeechWindow>, channel: number) => {
      for await (const window of found) {
        windows++
        await reader.add(window, channel)
      }
    }
    try {
      for await (const chunk of pcm) {
        for (const [number, samples] of chunk.entries()) {
          channels[number] ??= new ChannelSegmenter(new VoiceDetector(vad), signal)
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
    return all.toSorted(compareSpeechPiecesByTime)
  }

  return { info: await readMoonshineEngineInfo(config), sampleRate: VAD_SAMPLE_RATE, transcribe }
}

/**
 * The detector examines about one second of samples at once. The size is constant, so that the result does not depend on the
 * size of the chunks.
 */
const DETECTION_BLOCK_SAMPLES = 32 * VAD_FRAME_SAMPLES

/** Splits the audio of one channel into speech windows. */
class ChannelSegmenter {
  private readonly segmenter = new SpeechSegmenter()
  private block = new Float32Array(DETECTION_BLOCK_SAMPLES)
  private filled = 0

  constructor(
    private readonly vad: VoiceDetector,
    private readonly signal: AbortSignal,
  ) {}

  /** Yields the windows that are complete after these samples. */
  async *add(samples: Int16Array): AsyncGenerator<DetectedSpeechWindow> {
    for (let at = 0; at < samples.length;) {
      const count = Math.min(DETECTION_BLOCK_SAMPLES - this.filled, samples.length - at)
      for (let i = 0; i < count; i++) this.block[this.filled + i] = samples[at + i]! / 32_768
      this.filled += count
      at += count
      if (this.filled === DETECTION_BLOCK_SAMPLES) yield* this.detect()
    }
  }

  async *end(): AsyncGenerator<DetectedSpeechWindow> {
    yield* this.detect()
    const last = this.segmenter.finish()
    if (last) yield last
  }

  private async *detect(): AsyncGenerator<DetectedSpeechWindow> {
    this.signal.throwIfAborted()
    const { block } = this
    const count = Math.ceil(this.filled / VAD_FRAME_SAMPLES)
    const frames = Array.from({ length: count }, (_, n) =>
      block.subarray(n * VAD_FRAME_SAMPLES, (n + 1) * VAD_FRAME_SAMPLES),
    )
    // Allocate a new block, because the segmenter keeps the frames of the old one.
    this.block = new Float32Array(DETECTION_BLOCK_SAMPLES)
    this.filled = 0
    const probabilities = await this.vad.detect(frames)
    for (const [index, frame] of frames.entries()) {
      const window = this.segmenter.accept(frame, probabilities[index]!)
      if (window) yield window
    }
  }
}
