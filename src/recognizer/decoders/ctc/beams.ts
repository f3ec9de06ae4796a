/** The beams between two frames, best first, in typed arrays. */
export class BeamArrays {
  count = 0
  /** The text of the beam: a node of the prefixes. */
  readonly node: Int32Array
  /** 1 if the last token was the blank (or there was none yet). */
  readonly blank: Uint8Array
  /** Natural log of the beam's acoustic probability. */
  readonly acoustic: Float64Array

  /** Derived from the fields above at the beginning of a frame. Number of the prefix among them. */
  readonly slot: Int32Array
  /** Key of the candidate that repeats the last token. */
  readonly repeatKey: Int32Array
  readonly lastToken: Uint8Array
  /** 1 if no word has begun. */
  readonly finished: Uint8Array
  /** Language score of the finished words, with the partial word, and with one letter more. */
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
