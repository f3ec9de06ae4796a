import { CANDIDATE_STEP_BLANK } from '../recognizer/decoders/ctc/candidates.ts'
import type { CtcBeamSearch, BeamSearchFrameCounts } from '../recognizer/decoders/ctc/beam-search.ts'

/** Describes how one frame changed the beams of a search. */
export interface BeamFrameTrace {
  tokens: number[]
  expanded: number
  merged: number
  afterPrune: number
  afterWidth: number
  afterHistory: number
  /** The four best beams after pruning. */
  best: [text: string, part: string, lastToken: string, acoustic: number, total: number][]
}

/** Reads the internal state of a search. Call it within `observe`, while `spare` contains the beams before the frame. */
export function traceFrame(search: CtcBeamSearch, { tokens, expanded, above }: BeamSearchFrameCounts): BeamFrameTrace {
  const { candidates, prefixes, texts, words, settings, spare, beams, best } = {
    candidates: search['candidates'],
    prefixes: search['prefixes'],
    texts: search['texts'],
    words: search['words'],
    settings: search['settings'],
    spare: search['spare'],
    beams: search['beams'],
    best: search['best'],
  }
  const width = Math.min(above, settings.beamWidth)
  const topBeams = [...best.order.subarray(0, Math.min(width, 4))].map((candidate): BeamFrameTrace['best'][number] => {
    const step = candidates.step(candidate)
    const from = spare.node[candidates.beam(candidate)]!
    const node = step < CANDIDATE_STEP_BLANK ? prefixes.extend(from, step) : from
    const part = words.text(prefixes.part[node]!)
    const last = step === CANDIDATE_STEP_BLANK ? '' : (part.at(-1) ?? ' ')
    const scores = [candidates.acoustic[candidate]!, candidates.total[candidate]!] as const
    return [texts.text(prefixes.text[node]!), part, last, ...scores]
  })
  return {
    tokens: [...search['tokens'].subarray(0, tokens)],
    expanded,
    merged: candidates.count,
    afterPrune: above,
    afterWidth: width,
    afterHistory: beams.count,
    best: topBeams,
  }
}
