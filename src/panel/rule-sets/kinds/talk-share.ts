import { text, template } from '../../frame/words/translation.ts'
import { kindView } from '../kind.ts'

export const talkShare = kindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('percent of the talk', 'процентов речи'),
  measured: template('{}% of the talk', '{}\u00a0% речи'),
  words: {
    title: text('talk share', 'доля речи'),
    speaks: template('{} speaks {}% of the time', '{} говорит {}\u00a0% времени'),
  },
  sentence: ({ side }, t, { sides, bounds }) => [t.speaks(side === 'client' ? sides.client : sides.agent, bounds)],
})
