import { doubleCapacity } from '../../double-capacity.ts'

export const NO_TREE_NODE = -1

/** A tree of token strings in typed arrays. Node 0 is the empty string. */
export class TokenTree {
  size = 0
  /** Node of the string without its last token. NO_TREE_NODE for the root. */
  parent: Int32Array
  /** Last token of the string. The value of the root has no meaning. */
  token: Uint8Array
  private firstChild: Int32Array
  private sibling: Int32Array

  constructor(capacity: number) {
    this.parent = new Int32Array(capacity)
    this.token = new Uint8Array(capacity)
    this.firstChild = new Int32Array(capacity)
    this.sibling = new Int32Array(capacity)
    this.add(NO_TREE_NODE, 0)
  }

  clear(): void {
    this.size = 1
    this.firstChild[0] = NO_TREE_NODE
  }

  /** Returns the node of the string with one more token, or NO_TREE_NODE. */
  find(node: number, token: number): number {
    let child = this.firstChild[node]!
    while (child !== NO_TREE_NODE && this.token[child] !== token) child = this.sibling[child]!
    return child
  }

  add(node: number, token: number): number {
    if (this.size === this.parent.length) this.grow()
    const added = this.size++
    this.parent[added] = node
    this.token[added] = token
    this.firstChild[added] = NO_TREE_NODE
    if (node !== NO_TREE_NODE) {
      this.sibling[added] = this.firstChild[node]!
      this.firstChild[node] = added
    }
    return added
  }

  protected grow(): void {
    this.parent = doubleCapacity(this.parent)
    this.token = doubleCapacity(this.token)
    this.firstChild = doubleCapacity(this.firstChild)
    this.sibling = doubleCapacity(this.sibling)
  }
}
