import { expect } from 'chai'
import { retry } from './retry.ts'

describe('retry()', () => {
  function createFailingWork(times: number): { work: () => string; calls: () => number } {
    let calls = 0
    const work = () => {
      if (++calls <= times) throw new Error(`failure ${calls}`)
      return 'done'
    }
    return { work, calls: () => calls }
  }
  const messageOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message)

  it('retry() repeats the work until it succeeds', async () => {
    const { work, calls } = createFailingWork(3)
    expect(await retry(work, { pauseMs: 0 })).to.equal('done')
    expect(calls()).to.equal(4)
  })

  it('retry() throws the last error after the last attempt', async () => {
    const { work, calls } = createFailingWork(9)
    expect(await messageOf(retry(work, { attempts: 3, pauseMs: 0 }))).to.equal('failure 3')
    expect(calls()).to.equal(3)
  })

  it('retry() throws at once if shouldRetry() rejects the error', async () => {
    const { work } = createFailingWork(9)
    const shouldRetry = (error: unknown) => (error as Error).message !== 'failure 2'
    expect(await messageOf(retry(work, { pauseMs: 0, shouldRetry }))).to.equal('failure 2')
  })

  it('retry() passes the error and the number of failures to pauseMs()', async () => {
    const { work } = createFailingWork(2)
    const seen: unknown[] = []
    const pauseMs = (error: unknown, failures: number) => {
      seen.push([(error as Error).message, failures])
      return 0
    }
    await retry(work, { pauseMs })
    expect(seen).to.deep.equal([
      ['failure 1', 1],
      ['failure 2', 2],
    ])
  })

  it('retry() ends its pause when the signal aborts', async () => {
    const stop = new AbortController()
    const { work } = createFailingWork(9)
    const waiting = messageOf(retry(work, { pauseMs: 60_000, signal: stop.signal }))
    stop.abort(new Error('stopped'))
    expect(await waiting).to.equal('stopped')
  })
})
