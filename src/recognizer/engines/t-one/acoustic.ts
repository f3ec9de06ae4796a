import { InferenceSession, Tensor } from 'onnxruntime-node'
import { CTC_TOKEN_COUNT } from '../../decoders/ctc/alphabet.ts'

export const T_ONE_SAMPLE_RATE = 8000
/** Samples per run of the model, which are 300 ms. */
export const T_ONE_CHUNK_SAMPLES = 2400
/** Rows of log probabilities per run, one every 30 ms. */
const ROWS_PER_CHUNK = 10

/** T-one's acoustic model, which includes the feature extraction. One object serves any number of streams. */
export class TOneAcousticModel {
  private constructor(
    private readonly session: InferenceSession,
    /** Number of values in the state. T-one's model has 219,729. Compatible models can have other sizes. */
    private readonly stateSize: number,
  ) {}

  /**
   * Loads a model file.
   * @throws Error with the path if the file is no ONNX model or is not compatible with T-one
   */
  static async load(file: string): Promise<TOneAcousticModel> {
    // Several runs use the processor cores better than several threads per run.
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1 }
    const session = await InferenceSession.create(file, options).catch((error: Error) => {
      throw wrongFileError(file, `it cannot be loaded as an ONNX model (${error.message})`, error)
    })
    try {
      return new TOneAcousticModel(session, checkInterface(session))
    } catch (error) {
      await session.release()
      throw wrongFileError(file, (error as Error).message, error)
    }
  }

  createStream(): TOneAcousticStream {
    const zeros = new Uint16Array(this.stateSize) // The bits of float16 values. Node 20 has no Float16Array.
    return new TOneAcousticStream(this.session, new Tensor('float16', zeros, [1, this.stateSize]))
  }

  async release(): Promise<void> {
    await this.session.release()
  }
}

/** Feeds the samples of one channel to the acoustic model, chunk by chunk. */
export class TOneAcousticStream {
  constructor(
    private readonly session: InferenceSession,
    /** The model returns this state with each chunk and expects it with the next one. */
    private state: Tensor,
  ) {}

  /**
   * Runs the model on the next samples and returns its rows of log probabilities.
   * @param samples 16-bit values, exactly T_ONE_CHUNK_SAMPLES
   */
  async step(samples: Int32Array): Promise<Float32Array> {
    const signal = new Tensor('int32', samples, [1, T_ONE_CHUNK_SAMPLES, 1])
    const { logprobs, state_next: next } = await this.session.run({ signal, state: this.state })
    this.state = next as Tensor
    return logprobs!.data as Float32Array
  }
}

/**
 * Checks the inputs and outputs of a model and returns the size of its state.
 * @throws Error that names the difference
 */
function checkInterface({ inputMetadata, outputMetadata }: InferenceSession): number {
  checkTensor(inputMetadata, 'signal', 'int32', [1, T_ONE_CHUNK_SAMPLES, 1])
  const size = checkTensor(inputMetadata, 'state', 'float16', [1, undefined])[1]
  if (typeof size !== 'number') throw new Error('it does not say how large its state is')
  checkTensor(outputMetadata, 'logprobs', 'float32', [1, ROWS_PER_CHUNK, CTC_TOKEN_COUNT])
  checkTensor(outputMetadata, 'state_next', 'float16', [1, size])
  return size
}

/**
 * Checks a tensor and returns its dimensions.
 * @param sizes the required dimensions; undefined allows any size
 * @throws Error that names the difference
 */
function checkTensor(
  values: readonly InferenceSession.ValueMetadata[],
  name: string,
  type: string,
  sizes: (number | undefined)[],
): readonly (number | string)[] {
  const value = values.find((value) => value.name === name)
  if (!value?.isTensor) throw new Error(`it has no tensor "${name}"`)
  const { shape } = value
  const fits = shape.every((size, i) => typeof size === 'string' || sizes[i] === undefined || size === sizes[i])
  if (value.type !== type || shape.length !== sizes.length || !fits) {
    throw new Error(`its "${name}" is ${value.type} [${shape.join(', ')}]`)
  }
  return shape
}

function wrongFileError(file: string, problem: string, cause: unknown): Error {
  return new Error(
    `${file} is not T-one's acoustic model: ${problem}. Put the right file in its place, or delete it to have it fetched again.`,
    { cause },
  )
}
