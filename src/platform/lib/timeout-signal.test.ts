import { expect } from 'chai'
import { measureMemoryAfterGc } from '../../test/memory.ts'
import { waitUntil } from '../../test/wait.ts'
import { createTimeoutSignal } from './timeout-signal.ts'

describe('timeout signals', () => {
  it('a timeout signal aborts in time even after a garbage collection', async () => {
    let isOver = false
    createTimeoutSignal(1000, new AbortController().signal).addEventListener('abort', () => (isOver = true))
    for (let n = 0; n < 3; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      measureMemoryAfterGc() // collects garbage
    }
    await waitUntil('the limit', () => isOver, 10_000)
  })

  it('a timeout signal aborts with any of the other signals', () => {
    const stop = new AbortController()
    const signal = createTimeoutSignal(60_000, new AbortController().signal, stop.signal)
    expect(signal.aborted).to.equal(false)
    stop.abort()
    expect([signal.aborted, createTimeoutSignal(60_000, stop.signal).aborted]).to.deep.equal([true, true])
  })
})
