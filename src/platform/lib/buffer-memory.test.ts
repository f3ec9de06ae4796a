import { expect } from 'chai'
import { once } from 'node:events'
import { Worker, isMainThread } from 'node:worker_threads'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { forceGc, trackBufferAllocation } from './buffer-memory.ts'

const MB = 1024 ** 2

// Worker threads also load this file, but without mocha.
if (isMainThread) describe('buffers that nobody holds', tests)
else forceGc()

function tests() {
  const inUse = () => process.memoryUsage().arrayBuffers / MB

  beforeEach(() => forceGc())

  it('trackBufferAllocation() frees unused buffers while new ones are allocated', async () => {
    const before = inUse()
    let most = 0
    for (let n = 0; n < 60; n++) {
      expect(Buffer.alloc(MB, n).length).to.equal(MB)
      trackBufferAllocation(MB)
      await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, inUse() - before)
    }
    expect(most).to.be.below(20)
  })

  it('forceGc() frees an old unused buffer', async () => {
    const buffers = [new ArrayBuffer(MB)]
    const bufferRef = new WeakRef(buffers[0]!)
    for (let n = 0; n < 48; n++) trackBufferAllocation(MB)
    buffers.pop()
    // Reading `bufferRef` keeps the buffer alive until the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    forceGc()
    expect(bufferRef.deref()).to.equal(undefined)
  })

  it('many threads that start at once can all call forceGc()', async () => {
    const threads = Array.from({ length: chooseRepeatCount(24, 60) }, () => new Worker(new URL(import.meta.url)))
    const codes = await Promise.all(threads.map(async (thread) => (await once(thread, 'exit')) as [number]))
    expect(codes.flat()).to.deep.equal(threads.map(() => 0))
  })

  it('the global object has no gc() function', () => {
    expect('gc' in globalThis).to.equal(false)
  })
}
