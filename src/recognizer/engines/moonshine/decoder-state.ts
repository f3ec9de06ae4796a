import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import { trackBufferAllocation } from '../../../platform/lib/buffer-memory.ts'
import type { TokenDecoderState } from '../../decoders/search.ts'
import {
  formatAttentionOutputName,
  ENCODER_MASK_INPUT_NAME,
  NEW_KV_OUTPUT_NAME,
  KEY_VALUE_PARTS,
  formatPastKvName,
  POSITION_INPUT_NAME,
  ENCODER_OUTPUT_NAME,
  formatEncoderKvName,
  TOKENS_INPUT_NAME,
  type KeyValuePart,
  type MoonshineModelShape,
} from './graph/decoder-graph.ts'
import { getTokenVariants } from './token-variants.ts'
import { TextKeyValueCache } from './text-cache.ts'

/** Attention heads of the cross-attention, as pairs of layer and head number. */
export type CrossAttentionHeads = readonly (readonly [layer: number, head: number])[]

/** The ONNX sessions of the decoder: one per layer for the keys and values of the audio, and one for a decoder step. */
export interface MoonshineDecoderSessions {
  encoderKvLayers: InferenceSession[]
  step: InferenceSession
}

/** The decoder with its dimensions and reused buffers. */
export interface MoonshineDecoderModel {
  sessions: MoonshineDecoderSessions
  shape: MoonshineModelShape
  timeHeads: CrossAttentionHeads
  /** Buffers of an ended state. The next state reuses them, because unused buffers occupy memory until a garbage collection. */
  spare: { sound?: Float32Array | undefined; text?: Float32Array | undefined }
}

/**
 * The state of Moonshine's decoder for several windows of audio with one hypothesis each, or for one window with several
 * hypotheses. The first step computes the keys and values of the audio. The text cache has one row per hypothesis and grows by
 * one token per step.
 */
export class MoonshineDecoderState implements TokenDecoderState {
  readonly startToken = 1
  readonly endToken = 2
  readonly getTokenVariants = getTokenVariants
  readonly vocabularySize: number
  private feeds: Record<string, Tensor>
  /** Input names of the cross-attention by layer. `textNames` has the input names of the self-attention cache. */
  private readonly audioNames = { key: [] as string[], value: [] as string[] }
  private readonly textNames: string[] = []
  private readonly width: number
  private attentions: Float32Array[] = []
  /** The buffer for the keys and values of the cross-attention. Undefined in a state of `isolateRow()`. */
  private memory: Float32Array | undefined
  private text: TextKeyValueCache | undefined
  private steps = 0

  private constructor(
    private readonly model: MoonshineDecoderModel,
    /** Number of encoder frames of each window. */
    private frames: number[],
    /** The encoder's output for each window. Empty once the keys and values are computed. */
    private encoded: Tensor[],
    audioData: Record<string, Tensor>,
  ) {
    this.vocabularySize = model.shape.vocabulary
    this.feeds = { [ENCODER_MASK_INPUT_NAME]: createMask(frames), ...audioData }
    this.width = padFrameCount(frames)
    for (let layer = 0; layer < model.shape.layers; layer++) {
      for (const part of KEY_VALUE_PARTS) {
        this.audioNames[part].push(formatEncoderKvName(layer, part))
        this.textNames.push(formatPastKvName(layer, part))
      }
    }
  }

  /**
   * Creates a state with one row per window.
   * @param encoded the encoder's last_hidden_state for each window
   */
  static fromEncoded(encoded: Tensor[], model: MoonshineDecoderModel): MoonshineDecoderState {
    const frames = encoded.map(({ dims }) => dims[1]!)
    return new MoonshineDecoderState(model, frames, encoded, {})
  }

  /** Returns a new state without text for the window of one row, with a copy of its keys and values. Call it after a step. */
  isolateRow(row: number): MoonshineDecoderState {
    const frames = [this.frames[row]!]
    const audioData: Record<string, Tensor> = {}
    for (const part of KEY_VALUE_PARTS) {
      for (const name of this.audioNames[part]) {
        audioData[name] = allocateRow(this.feeds[name]!, part, padFrameCount(frames))
        copyRow(this.feeds[name]!, row, audioData[name], 0, part)
      }
    }
    return new MoonshineDecoderState(this.model, frames, [], audioData)
  }

  async step(tokens: number[]): Promise<Float32Array> {
    if (this.steps === 0) await this.begin(tokens.length)
    this.feeds[TOKENS_INPUT_NAME] = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1])
    this.feeds[POSITION_INPUT_NAME] = new Tensor('int64', BigInt64Array.of(BigInt(this.steps++)), [1])
    const { sessions, timeHeads } = this.model
    const outputs = await sessions.step.run(this.feeds)
    this.text!.add(outputs[NEW_KV_OUTPUT_NAME]!.data as Float32Array)
    this.feedText()
    trackBufferAllocation(countBytes(outputs))
    this.attentions = timeHeads.map(([layer]) => outputs[formatAttentionOutputName(layer)]!.data as Float32Array)
    return outputs.logits!.data as Float32Array
  }

  /** Computes the keys and values of the audio window by window, which takes less memory and time than all at once. */
  private async begin(rows: number): Promise<void> {
    const { layers, heads, headSize } = this.model.shape
    if (this.encoded.length > 0) this.allocateAudioMemory(this.encoded.length)
    for (const [row, output] of this.encoded.entries()) {
      for (let layer = 0; layer < layers; layer++) await this.projectAudio(output, row, layer)
    }
    this.encoded = []
    this.text = new TextKeyValueCache(
      { tensors: this.textNames.length, heads, headSize },
      rows,
      takeSpare(this.model, 'text'),
    )
    this.feedText()
  }

  private feedText(): void {
    for (const [index, tensor] of this.text!.tensors.entries()) this.feeds[this.textNames[index]!] = tensor
  }

  /** Copies the keys and values of a layer. A separate method, so that the outputs of the run can be freed when it returns. */
  private async projectAudio(output: Tensor, row: number, layer: number): Promise<void> {
    const audioData = await this.model.sessions.encoderKvLayers[layer]!.run({ [ENCODER_OUTPUT_NAME]: output })
    for (const part of KEY_VALUE_PARTS)
      copyRow(audioData[part]!, 0, this.feeds[this.audioNames[part][layer]!]!, row, part)
    trackBufferAllocation(countBytes(audioData))
  }

  private allocateAudioMemory(rows: number): void {
    const { layers, heads, headSize } = this.model.shape
    const size = rows * heads * headSize * this.width
    const needed = size * layers * KEY_VALUE_PARTS.length
    const usual = PREALLOCATED_FRAMES * heads * headSize * layers * KEY_VALUE_PARTS.length
    const spare = takeSpare(this.model, 'sound')
    this.memory = spare && spare.length >= needed ? spare : new Float32Array(Math.max(needed, usual))
    for (const [index, part] of KEY_VALUE_PARTS.entries()) {
      for (const [layer, name] of this.audioNames[part].entries()) {
        const at = (KEY_VALUE_PARTS.length * layer + index) * size
        const dims = part === 'key' ? [headSize, this.width] : [this.width, headSize]
        this.feeds[name] = new Tensor('float32', this.memory.subarray(at, at + size), [rows, heads, ...dims])
      }
    }
  }

  /** Leaves the buffers to the next state. This state cannot be used afterwards. */
  end(): void {
    const { spare } = this.model
    this.model.spare = { sound: this.memory ?? spare.sound, text: this.text?.spare ?? spare.text }
    this.memory = this.text = undefined
    this.feeds = {}
  }

  reorder(from: number[]): void {
    const rows = this.text?.rows ?? this.frames.length
    if (from.length === rows && from.every((row, index) => row === index)) return
    if (this.text) {
      this.text.selectRows(from)
      this.feedText()
    }
    if (this.frames.length === 1) return
    if (!this.text) this.encoded = from.map((row) => this.encoded[row]!)
    const names = this.text
      ? [ENCODER_MASK_INPUT_NAME, ...this.audioNames.key, ...this.audioNames.value]
      : [ENCODER_MASK_INPUT_NAME]
    for (const name of names) this.feeds[name] = selectRows(this.feeds[name]!, from)
    this.frames = from.map((row) => this.frames[row]!)
  }

  /** Returns the attention of the last step to each frame, summed over the heads in `timeHeads`. */
  attention(row: number): Float32Array {
    const frames = this.frames[row] ?? this.frames[0]!
    const sum = new Float32Array(frames)
    this.model.timeHeads.forEach(([, head], index) => {
      const start = (row * this.model.shape.heads + head) * this.width
      const audioData = this.attentions[index]!.subarray(start, start + frames)
      audioData.forEach((share, frame) => (sum[frame]! += share))
    })
    return sum
  }
}

/**
 * Frames of all windows for which memory is allocated at first, so that most states can reuse the buffer. The system does not map
 * unused pages.
 */
const PREALLOCATED_FRAMES = 2304

const countBytes = (tensors: InferenceSession.OnnxValueMapType): number =>
  Object.values(tensors).reduce((sum, { data }) => sum + (data as Float32Array).byteLength, 0)

/** ONNX Runtime sums over frames in blocks. With whole blocks, the result of a row is bit-identical in every run. */
const FRAME_BLOCK = 32
const padFrameCount = (frames: number[]) => Math.ceil(Math.max(...frames) / FRAME_BLOCK) * FRAME_BLOCK

/** Creates the mask that hides the padding of each window. */
function createMask(frames: number[]): Tensor {
  const longest = padFrameCount(frames)
  const mask = new Float32Array(frames.length * longest)
  frames.forEach((count, row) => mask.fill(-Infinity, row * longest + count, (row + 1) * longest))
  return new Tensor('float32', mask, [frames.length, 1, 1, longest])
}

/** Axis of the frames in keys and in values. */
const FRAME_AXES = { key: 3, value: 2 }

/** Allocates a row with the dimensions of a tensor, except for the number of frames. */
function allocateRow({ dims }: Tensor, part: KeyValuePart, frames: number): Tensor {
  const [, ...rest] = dims.with(FRAME_AXES[part], frames)
  return new Tensor('float32', new Float32Array(rest.reduce((size, one) => size * one, 1)), [1, ...rest])
}

function takeSpare(model: MoonshineDecoderModel, name: keyof MoonshineDecoderModel['spare']): Float32Array | undefined {
  const spare = model.spare[name]
  model.spare[name] = undefined
  return spare
}

/** Copies a row to a row of another tensor. Cuts the frames or pads them with zeros. */
function copyRow(source: Tensor, from: number, target: Tensor, to: number, part: KeyValuePart): void {
  const [, heads, inner] = source.dims as [number, number, number]
  const lines = part === 'key' ? heads * inner : heads
  const [read, written] = [source, target].map(({ data, dims }) => {
    const length = (data as Float32Array).length / dims[0]! / lines
    return { data: data as Float32Array, length }
  }) as [TensorLines, TensorLines]
  const length = Math.min(read.length, written.length)
  for (let line = 0; line < lines; line++) {
    const start = (from * lines + line) * read.length
    const at = (to * lines + line) * written.length
    written.data.set(read.data.subarray(start, start + length), at)
    written.data.fill(0, at + length, at + written.length)
  }
}

interface TensorLines {
  data: Float32Array
  length: number
}

/** Selects rows of a tensor by its first axis. Reuses the memory if rows are only removed. */
function selectRows(tensor: Tensor, from: number[]): Tensor {
  const [rows, ...rest] = tensor.dims
  const data = tensor.data as Float32Array
  const size = data.length / rows!
  const isSubset = from.every((row, index) => index === 0 || row > from[index - 1]!)
  const selected = isSubset ? data.subarray(0, size * from.length) : new Float32Array(size * from.length)
  from.forEach((row, index) => {
    if (selected.buffer !== data.buffer || row !== index)
      selected.set(data.subarray(row * size, (row + 1) * size), index * size)
  })
  return new Tensor('float32', selected, [from.length, ...rest])
}
