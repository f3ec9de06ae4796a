import { both } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const talkShare = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: both('percent of the time', 'процентов времени'),
  measured: both(
    (shown: string) => `${shown} % of the talk`,
    (shown) => `${shown} % времени`,
  ),
  words: {
    title: both('share of the time that somebody speaks', 'доля времени, когда говорит одна сторона'),
    speaks: both(
      (who: string, share: string) => `${who} speaks ${share} % of the time`,
      (who, share) => `${who} говорит ${share} % времени`,
    ),
  },
  sentence: ({ side }, t, { sides, bounds }) => [t.speaks(side === 'client' ? sides.client : sides.agent, bounds)],
})
