import type { RuleKind } from '../kind.ts'
import { measure, seconds, spansOf, speakerOf } from '../measures.ts'

/** Percent of the speech of both sides that is one side's. */
export const talkShare: RuleKind = {
  ...measure(async (context, { side }) => {
    const { talk } = context
    if (!talk.sidesKnown) return 'speakersUnknown'
    const speaker = side === 'client' ? 'client' : 'agent'
    const own = seconds(await spansOf(context, (piece) => speakerOf(talk, piece) === speaker))
    const other = seconds(await spansOf(context, (piece) => speakerOf(talk, piece) !== speaker))
    return own + other > 0 ? (100 * own) / (own + other) : undefined
  }),
  limits: [0, 100],
  *validate({ side }) {
    if (side === 'any') yield ['side', 'side', 'It must be the agent or the client.', 'Нужен менеджер или клиент.']
  },
}
