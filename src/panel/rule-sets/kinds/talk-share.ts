import { text, template } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const talkShare = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('percent of the time', 'процентов времени'),
  measured: template('{}% of the talk', '{}\u00a0% времени'),
  words: {
    title: text('share of the time that somebody speaks', 'доля времени, когда говорит одна сторона'),
    speaks: template('{} speaks {}% of the time', '{} говорит {}\u00a0% времени'),
  },
  sentence: ({ side }, t, { sides, bounds }) => [t.speaks(side === 'client' ? sides.client : sides.agent, bounds)],
})
