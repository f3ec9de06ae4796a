/** Stub: replaced by the algorithm. */
export interface TimeSpan {
  start: number
  end: number
}

export interface SpeakerPhrase extends TimeSpan {
  speaker: 0 | 1
  confidence: number
}

export interface SpeakerSeparation {
  method: 'voices' | 'none'
  confidence: number | null
  phrases: SpeakerPhrase[]
}

interface ChannelAudio {
  samples: AsyncIterable<Float32Array> | Iterable<Float32Array>
  sampleRate: 8000 | 16_000
}

export async function separateSpeakers(
  audio: ChannelAudio,
  _speech: TimeSpan[],
  _words: TimeSpan[],
  signal: AbortSignal,
): Promise<SpeakerSeparation> {
  for await (const _ of audio.samples) signal.throwIfAborted()
  return { method: 'none', confidence: null, phrases: [] }
}
