import { text } from '../../frame/words/translation.ts'
import { defineRuleKindView, type RuleSentencePart } from '../kind.ts'

export const orderRuleKindView = defineRuleKindView({
  form: ['side', 'window', 'steps', 'within', 'except', 'mono'],
  words: {
    title: text('phrases in order', 'фразы по порядку'),
    inOrder: text('says in order', 'говорит по порядку:'),
    next: text('then', 'затем'),
  },
  sentence({ all = [], after }, t, { who, list, within }) {
    const steps = all.flatMap((group, n): RuleSentencePart[] => [...(n > 0 ? [t.next] : []), list(group)])
    return [who, t.inOrder, ...steps, ...(after?.within === undefined ? [] : [`, ${within(after.within)}`])]
  },
})
