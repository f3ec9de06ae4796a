import { expect } from 'chai'
import { CALL } from '../test/recognition.ts'
import type { Engine } from './engines/engine.ts'
import { transcribe } from './transcribe.ts'

describe('a file that fails', () => {
  it('has nothing more of it read, and tells what went wrong', async () => {
    const told: boolean[] = []
    const engine: Engine = {
      info: { model: 'none', version: '1', precision: 'none', language: 'en', timing: 'exact' },
      sampleRate: 16_000,
      recognise: (_, signal) => ({
        accept: async () => {
          told.push(signal.aborted)
          throw new Error('it broke')
        },
        finish: async () => [],
        unreadFrom: () => undefined,
        settle: async () => void told.push(signal.aborted),
      }),
    }
    const { signal } = new AbortController()
    const error: unknown = await transcribe(engine, { file: CALL, decoder: 'greedy' }, () => {}, signal).catch(
      (reason: unknown) => reason,
    )
    expect((error as Error).message).to.equal('it broke')
    expect(told, 'when it breaks, and while what is under way ends').to.deep.equal([false, true])
    expect(signal.aborted).to.equal(false)
  })
})
