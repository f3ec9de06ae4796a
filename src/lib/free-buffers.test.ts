import { expect } from 'chai'
import { freeBuffers, madeBuffers } from './free-buffers.ts'

const MB = 1024 ** 2

describe('buffers that nobody holds', () => {
  const inUse = () => process.memoryUsage().arrayBuffers / MB

  beforeEach(() => freeBuffers())

  it('are freed while more are made, long before V8 would', async () => {
    const before = inUse()
    let most = 0
    for (let n = 0; n < 60; n++) {
      expect(Buffer.alloc(MB, n).length).to.equal(MB)
      madeBuffers(MB)
      await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, inUse() - before)
    }
    expect(most).to.be.below(20)
  })

  it('are freed also where they are old', async () => {
    const held = [new ArrayBuffer(MB)]
    const seen = new WeakRef(held[0]!)
    for (let n = 0; n < 48; n++) madeBuffers(MB)
    held.pop()
    // Who has looked at it holds it until the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    freeBuffers()
    expect(seen.deref()).to.equal(undefined)
  })

  it('do not leave the function of V8 where everybody could call it', () => {
    expect('gc' in globalThis).to.equal(false)
  })
})
