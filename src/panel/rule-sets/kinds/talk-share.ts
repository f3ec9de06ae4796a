import { text, textTemplate } from '../../frame/words/translation.ts'
import { defineRuleKindView } from '../kind.ts'

export const talkShareRuleKindView = defineRuleKindView({
  form: ['side', 'bounds', 'mono'],
  unit: text('percent of talk time', 'процентов речи'),
  measured: textTemplate('{}% of talk time', '{}\u00a0% речи'),
  words: {
    title: text('talk share', 'доля речи'),
    speaks: textTemplate('{} speaks {}% of the time', '{} говорит {}\u00a0% времени'),
  },
  sentence: ({ side }, t, { sides, bounds }) => [t.speaks(side === 'client' ? sides.client : sides.agent, bounds)],
})
