import { grown } from '../../grown.ts'

export const NONE = -1

/** Strings of tokens as nodes of a tree in typed arrays; node 0 is the empty string. */
export class Tree {
  size = 0
  /** Node of the string without its last token; NONE for the root. */
  parent: Int32Array
  /** Last token; undefined for the root. */
  token: Uint8Array
  private firstChild: Int32Array
  private sibling: Int32Array

  constructor(capacity: number) {
    this.parent = new Int32Array(capacity)
    this.token = new Uint8Array(capacity)
    this.firstChild = new Int32Array(capacity)
    this.sibling = new Int32Array(capacity)
    this.add(NONE, 0)
  }

  clear(): void {
    this.size = 1
    this.firstChild[0] = NONE
  }

  /** The node of `node` and one more token, or NONE. */
  find(node: number, token: number): number {
    let child = this.firstChild[node]!
    while (child !== NONE && this.token[child] !== token) child = this.sibling[child]!
    return child
  }

  add(node: number, token: number): number {
    if (this.size === this.parent.length) this.grow()
    const added = this.size++
    this.parent[added] = node
    this.token[added] = token
    this.firstChild[added] = NONE
    if (node !== NONE) {
      this.sibling[added] = this.firstChild[node]!
      this.firstChild[node] = added
    }
    return added
  }

  protected grow(): void {
    this.parent = grown(this.parent)
    this.token = grown(this.token)
    this.firstChild = grown(this.firstChild)
    this.sibling = grown(this.sibling)
  }
}
