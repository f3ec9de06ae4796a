import { expect } from 'chai'
import { SAMPLE_CALL_PATH } from '../test/test-recognizer.ts'
import type { Engine } from './engines/engine.ts'
import { transcribeAudioFile } from './transcribe.ts'

describe('failed files', () => {
  it('transcribing a file fails with the error of the engine', async () => {
    const engine: Engine = {
      info: { model: 'none', version: '1', precision: 'none', language: 'en', timing: 'exact' },
      sampleRate: 16_000,
      transcribe: async (pcm) => {
        for await (const _ of pcm) throw new Error('it broke')
        return []
      },
    }
    const { signal } = new AbortController()
    const error: unknown = await transcribeAudioFile(
      engine,
      { file: SAMPLE_CALL_PATH, decoder: 'greedy' },
      () => {},
      signal,
    ).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('it broke')
  })
})
