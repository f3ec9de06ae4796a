import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { WorkerPool, type WorkerPoolWork } from './worker-pool.ts'

describe('worker pool of a queue', () => {
  /** Wraps a promise that the test resolves. */
  class Gate {
    open!: () => void
    readonly passed = new Promise<void>((resolve) => (this.open = resolve))
  }

  /** Creates pool work with this many jobs. The test decides when each run and store ends. */
  function createWork(count: number) {
    const jobs = Array.from({ length: count }, (_, n) => ({ n, run: new Gate(), store: new Gate() }))
    const waiting = [...jobs]
    const seen = { running: [] as number[], storing: [] as number[], signals: [] as AbortSignal[] }
    const work: WorkerPoolWork<(typeof jobs)[number]> = {
      claim: async () => waiting.shift(),
      async run({ n, run }, stopping) {
        seen.running.push(n)
        seen.signals.push(stopping)
        await run.passed
      },
      async store({ n, store }) {
        seen.storing.push(n)
        await store.passed
      },
    }
    return { jobs, seen, work }
  }
  const pool = (concurrency: number, work: WorkerPoolWork<never>) =>
    new WorkerPool(
      () => concurrency,
      work,
      (error) => {
        throw error
      },
    )

  it('a pool fills its slots and stores up to as many other jobs meanwhile', async () => {
    const { jobs, seen, work } = createWork(6)
    const two = pool(2, work as WorkerPoolWork<never>)
    two.wake()
    await waitUntil('two run', () => seen.running.length === 2)
    for (const { run } of jobs.slice(0, 4)) run.open()
    await waitUntil('four are being stored', () => seen.storing.length === 4)
    expect(seen.running, 'nothing more until one is stored').to.have.length(4)
    jobs[0]!.store.open()
    await waitUntil('the next runs', () => seen.running.length === 5)
    for (const { run, store } of jobs) [run, store].forEach((gate) => gate.open())
    await waitUntil('all have run', () => seen.storing.length === 6)
    await two.stop(0)
  })

  it('a pool without grace time aborts running jobs and waits for their end', async () => {
    const { jobs, seen, work } = createWork(3)
    const two = pool(2, work as WorkerPoolWork<never>)
    two.wake()
    await waitUntil('two run', () => seen.running.length === 2)
    expect(seen.signals[0]).to.not.equal(seen.signals[1])
    let stopped = false
    const stop = two.stop(0).then(() => (stopped = true))
    expect(seen.signals.map(({ aborted }) => aborted)).to.deep.equal([true, true])
    for (const { run, store } of jobs) [run, store].forEach((gate) => gate.open())
    await stop
    expect([stopped, seen.running, seen.storing]).to.deep.equal([true, [0, 1], [0, 1]])
  })

  it('a stopped pool lets running jobs finish and claims no more', async () => {
    const { jobs, seen, work } = createWork(3)
    const two = pool(2, work as WorkerPoolWork<never>)
    two.wake()
    await waitUntil('two run', () => seen.running.length === 2)
    const stop = two.stop(3600)
    for (const { run, store } of jobs) [run, store].forEach((gate) => gate.open())
    await stop
    expect(seen.signals.map(({ aborted }) => aborted)).to.deep.equal([false, false])
    expect([seen.running, seen.storing]).to.deep.equal([
      [0, 1],
      [0, 1],
    ])
  })

  it('a stopped pool aborts jobs that run longer than the grace time', async () => {
    const { jobs, seen, work } = createWork(1)
    const one = pool(1, work as WorkerPoolWork<never>)
    one.wake()
    await waitUntil('it runs', () => seen.signals[0])
    const stop = one.stop(0.05)
    await waitUntil('it is told', () => seen.signals[0]!.aborted)
    for (const gate of [jobs[0]!.run, jobs[0]!.store]) gate.open()
    await stop
  })

  it('a stopped pool aborts a job whose claim was under way', async () => {
    const { jobs, seen, work } = createWork(1)
    const claiming = new Gate()
    const one = pool(1, { ...work, claim: () => claiming.passed.then(() => work.claim()) } as WorkerPoolWork<never>)
    one.wake()
    const stop = one.stop(3600)
    claiming.open()
    await waitUntil('it runs', () => seen.signals[0])
    expect(seen.signals[0]!.aborted).to.equal(true)
    for (const gate of [jobs[0]!.run, jobs[0]!.store]) gate.open()
    await stop
  })
})
