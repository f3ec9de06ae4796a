import { expect } from 'chai'
import { TextKeyValueCache } from './text-cache.ts'

const SHAPE = { tensors: 3, heads: 2, headSize: 4 }
const { tensors, heads, headSize } = SHAPE
/** More steps than fit into the initial capacity. */
const STEPS = 120
const ROWS = 5

/** Returns the values that a step of a text adds to a row. All values are different. */
const valueAt = (text: number, step: number) =>
  Float32Array.from({ length: tensors * heads * headSize }, (_, place) => 10_000 * text + 100 * step + place)

/** Returns the expected tensor. Each row lists the text that added each of its steps. */
function buildExpected(tensor: number, texts: number[][]): number[] {
  return texts.flatMap((steps) =>
    Array.from({ length: heads }, (_, head) =>
      steps.flatMap((text, step) => {
        const from = (tensor * heads + head) * headSize
        return [...valueAt(text, step).subarray(from, from + headSize)]
      }),
    ).flat(),
  )
}

describe('text cache of the Moonshine decoder', () => {
  /** Adds a step to each row. A row is the list of texts that added its steps. */
  function addTokens(memory: TextKeyValueCache, texts: number[][], numbers: number[]): void {
    const step = texts[0]!.length
    memory.add(Float32Array.from(numbers.flatMap((text) => [...valueAt(text, step)])))
    for (const [row, text] of texts.entries()) text.push(numbers[row]!)
  }

  function expectTexts(memory: TextKeyValueCache, texts: number[][]): void {
    for (const [tensor, { data, dims }] of memory.tensors.entries()) {
      expect(dims).to.deep.equal([texts.length, heads, texts[0]!.length, headSize])
      expect([...(data as Float32Array)], `tensor ${tensor}`).to.deep.equal(buildExpected(tensor, texts))
    }
  }

  it('the text cache returns all values that were added to each row', () => {
    const memory = new TextKeyValueCache(SHAPE, ROWS)
    const texts = Array.from({ length: ROWS }, (): number[] => [])
    for (let step = 0; step < STEPS; step++) {
      addTokens(memory, texts, [1, 2, 3, 4, 5])
      if (step === 0 || step === STEPS - 1) expectTexts(memory, texts)
    }
  })

  it('the text cache stays correct when rows are dropped, swapped or duplicated', () => {
    const other = new TextKeyValueCache(SHAPE, ROWS)
    addTokens(other, Array.from({ length: ROWS }, () => []), [7, 7, 7, 7, 7]) // prettier-ignore
    const memory = new TextKeyValueCache(SHAPE, 3, other.spare)
    expect(memory.spare).to.equal(other.spare)
    let texts: number[][] = [[], [], []]
    const pick = (from: number[]) => {
      memory.selectRows(from)
      texts = from.map((row) => [...texts[row]!])
      expectTexts(memory, texts)
    }
    addTokens(memory, texts, [1, 2, 3])
    pick([0, 2])
    addTokens(memory, texts, [4, 5])
    pick([1, 0, 1, 1])
    addTokens(memory, texts, [6, 7, 8, 9])
    expectTexts(memory, texts)
    for (let step = 0; step < STEPS; step++) addTokens(memory, texts, [1, 2, 3, 4])
    pick([3, 3, 0, 1, 2, 0])
  })
})
