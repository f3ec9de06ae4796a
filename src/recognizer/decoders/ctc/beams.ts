/** The beams between two frames in typed arrays, best first. */
export class CtcBeamArrays {
  count = 0
  /** Node of the beam's text in the prefix tree. */
  readonly node: Int32Array
  /** 1 if the last token was the blank, or if there was no token yet. */
  readonly blank: Uint8Array
  /** Natural log of the beam's acoustic probability. */
  readonly acoustic: Float64Array

  /** Index of the first beam with the same prefix. This and all following fields are computed at the start of each frame. */
  readonly slot: Int32Array
  /** Key of the candidate that repeats the last letter, or that adds a space after a space. */
  readonly repeatKey: Int32Array
  readonly lastToken: Uint8Array
  /** 1 if the beam has no unfinished word. */
  readonly finished: Uint8Array
  /** Language score of the finished words. `language` adds the unfinished word, `grownLanguage` that word with one more letter. */
  readonly textScore: Float64Array
  readonly language: Float64Array
  readonly grownLanguage: Float64Array

  constructor(width: number) {
    this.node = new Int32Array(width)
    this.blank = new Uint8Array(width)
    this.acoustic = new Float64Array(width)
    this.slot = new Int32Array(width)
    this.repeatKey = new Int32Array(width)
    this.lastToken = new Uint8Array(width)
    this.finished = new Uint8Array(width)
    this.textScore = new Float64Array(width)
    this.language = new Float64Array(width)
    this.grownLanguage = new Float64Array(width)
  }

  reset(): void {
    this.count = 0
    this.add(0, 1, 0)
  }

  add(node: number, blank: number, acoustic: number): void {
    this.node[this.count] = node
    this.blank[this.count] = blank
    this.acoustic[this.count++] = acoustic
  }
}
