import { expect } from 'chai'
import { SHIPPED_RULE_SETS } from './shipped.ts'
import { makeScoreRuleSet, countEventLoopTurns } from '../../test/dialogues.ts'
import type { RuleSetBody } from './types.ts'
import { collectRuleSetViolations } from './violations.ts'

const saidRule = { kind: 'said', any: { ru: ['добрый день'] } } as const
const listViolations = async (set: unknown): Promise<string[]> =>
  (await collectRuleSetViolations(set)).map(({ path, rule }) => `${path} ${rule}`)
const createSet = (rule: object): RuleSetBody => makeScoreRuleSet({ ...saidRule, ...rule })

describe('validation of rule sets', () => {
  it('the shipped rule sets have no violations', async () => {
    for (const set of SHIPPED_RULE_SETS) expect(await listViolations(set), set.key).to.deep.equal([])
  })

  it('a rule can have 200 phrases in each language', async () => {
    const phrases = Array.from({ length: 200 }, (_, index) => `слово${index}`)
    expect(await listViolations(createSet({ any: { ru: phrases, en: phrases } }))).to.deep.equal([])
  })

  it('all violations are returned with path, rule key and a sentence in both languages', async () => {
    const set = makeScoreRuleSet(
      { ...saidRule, any: { ru: [' ', '{кто} это'] }, side: 'boss' as never },
      { kind: 'order' },
    )
    const violations = await collectRuleSetViolations({ ...set, colour: 'red', mode: 'stars' })
    expect(violations.map(({ path, ruleKey, rule }) => [path, ruleKey, rule])).to.deep.equal([
      ['colour', undefined, 'additionalProperties'],
      ['mode', undefined, 'enum'],
      ['rules[0].side', 'rule-0', 'enum'],
      ['rules[0].any.ru[0]', 'rule-0', 'emptyPhrase'],
      ['rules[0].any.ru[1]', 'rule-0', 'unknownSlot'],
      ['rules[1].all', 'rule-1', 'required'],
    ])
    for (const { message } of violations) {
      expect(message.en).to.match(/^[A-Z].+\.$/)
      expect(message.ru).to.match(/^[А-Я].+\.$/)
    }
  })

  const eleven = 'раз два три четыре пять шесть семь восемь девять десять одиннадцать'
  const many = Array.from({ length: 201 }, (_, index) => `фраза ${index}`)
  const cases: [what: string, set: unknown, ...expected: string[]][] = [
    ['a text instead of a set', 'text', ' type'],
    ['a set without rules', { ...makeScoreRuleSet(), rules: [] }, 'rules minItems'],
    ['a phrase over ten words', createSet({ any: { ru: [eleven] } }), 'rules[0].any.ru[0] maxWords'],
    ['a word of 31 letters', createSet({ any: { ru: ['а'.repeat(31)] } }), 'rules[0].any.ru[0] maxLetters'],
    [
      '21 alternatives of one word',
      createSet({
        any: {
          ru: [
            many
              .slice(0, 21)
              .map(() => 'слово')
              .join('/'),
          ],
        },
      }),
      'rules[0].any.ru[0] maxChoices',
    ],
    [
      '101 words including alternatives',
      createSet({ any: { ru: [Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к/л/м').join(' ')] } }),
      'rules[0].any.ru[0] maxAlternatives',
    ],
    ['a phrase over 1000 characters', createSet({ any: { ru: ['/'.repeat(1001)] } }), 'rules[0].any.ru[0] maxLength'],
    [
      'a set with over 10,000 phrases',
      makeScoreRuleSet(
        ...Array.from({ length: 50 }, () => ({ ...saidRule, any: { ru: many.slice(1) }, except: { ru: ['нет'] } })),
      ),
      'rules maxPhrases',
    ],
    [
      'a set with over 512 KB of rules',
      makeScoreRuleSet(
        ...Array.from({ length: 100 }, () => ({ ...saidRule, hint: { en: 'a'.repeat(1500), ru: 'я'.repeat(2000) } })),
      ),
      'rules maxBytes',
    ],
    ['a slash next to a slot', createSet({ any: { en: ['on {day}/at'] } }), 'rules[0].any.en[0] stroke'],
    ['a phrase of symbols only', createSet({ any: { en: ['?!'] } }), 'rules[0].any.en[0] emptyPhrase'],
    ['an unclosed quotation mark', createSet({ any: { en: ['"this is'] } }), 'rules[0].any.en[0] open'],
    ['an unclosed brace', createSet({ any: { en: ['{name is'] } }), 'rules[0].any.en[0] open'],
    ['a phrase that is not text', createSet({ any: { ...saidRule.any, en: [1] } }), 'rules[0].any.en[0] type'],
    [
      'an unknown language',
      createSet({ any: { ...saidRule.any, de: ['guten Tag'] } }),
      'rules[0].any.de additionalProperties',
    ],
    ['over 200 phrases in one language', createSet({ any: { ru: many } }), 'rules[0] maxPhrases'],
    ['over 200 exceptions', createSet({ except: { ru: many } }), 'rules[0].except maxPhrases'],
    ['a rule without phrases', createSet({ any: { ru: [] } }), 'rules[0].any cannotMatch'],
    ['exceptions that cancel all phrases', createSet({ except: { ru: ['День'] } }), 'rules[0].any cannotMatch'],
    [
      'exceptions that cancel all alternatives',
      createSet({ any: { ru: ['добрый день/вечер вам', 'добрый день'] }, except: { ru: ['вечер/день/утро'] } }),
      'rules[0].any cannotMatch',
    ],
    ['an unknown kind', createSet({ kind: 'regex' }), 'rules[0].kind enum'],
    ['an unknown field', createSet({ regex: '(а+)+$' }), 'rules[0].regex additionalProperties'],
    ['a field that the kind does not use', createSet({ kind: 'notSaid', min: 2 }), 'rules[0].min unused'],
    ['an empty list of groups', createSet({ any: undefined, all: [] }), 'rules[0].all cannotMatch'],
    ['a min above 1000', createSet({ min: 1001 }), 'rules[0].min range'],
    ['a min above max', createSet({ min: 3, max: 2 }), 'rules[0].min bounds'],
    ['a weight below 0', createSet({ weight: -1 }), 'rules[0].weight minimum', 'rules noWeight'],
    ['a weight that is text', createSet({ weight: '5' }), 'rules[0].weight type', 'rules noWeight'],
    ['a set whose weights are all 0', createSet({ weight: 0 }), 'rules noWeight'],
    ['an empty window', createSet({ window: {} }), 'rules[0].window window'],
    ['a window with both ends', createSet({ window: { first: 1, last: 1 } }), 'rules[0].window window'],
    ['a condition without phrases and rule', createSet({ after: { within: 5 } }), 'rules[0].after cannotMatch'],
    ['a condition with an unknown rule', createSet({ after: { rule: 'x' } }), 'rules[0].after.rule unknownRule'],
    ['a condition whose rule is not text', createSet({ after: { rule: [] as never } }), 'rules[0].after.rule type'],
    ['a condition with its own rule', createSet({ after: { rule: 'rule-0' } }), 'rules[0].after.rule circle'],
    [
      'conditions in a circle of two rules',
      makeScoreRuleSet({ ...saidRule, after: { rule: 'rule-1' } }, { ...saidRule, after: { rule: 'rule-0' } }),
      'rules[0].after.rule circle',
      'rules[1].after.rule circle',
    ],
    [
      'a condition with a rule that finds no words',
      makeScoreRuleSet({ ...saidRule, after: { rule: 'rule-1' } }, { kind: 'talkShare', side: 'agent', max: 60 }),
      'rules[0].after.rule cannotMatch',
    ],
    [
      'a duplicate key',
      makeScoreRuleSet({ ...saidRule, key: 'same' }, { ...saidRule, key: 'same' }),
      'rules[1].key duplicateKey',
    ],
    ['a key with capital letters', createSet({ key: 'Price' }), 'rules[0].key key'],
    ['a missing name', createSet({ name: { en: 'Only' } }), 'rules[0].name.ru required'],
    ['a missing direction', { ...createSet({}), applies: { direction: [] } }, 'applies.direction minItems'],
    ['an unknown direction', { ...createSet({}), applies: { direction: ['UP'] } }, 'applies.direction[0] enum'],
    ['an order of one step', makeScoreRuleSet({ kind: 'order', all: [saidRule.any] }), 'rules[0].all order'],
    ['talkShare of any side', makeScoreRuleSet({ kind: 'talkShare', side: 'any', max: 5 }), 'rules[0].side side'],
    ['a measure without bounds', makeScoreRuleSet({ kind: 'pace' }), 'rules[0].min required'],
  ]
  for (const [what, set, ...expected] of cases)
    it(`the validation rejects ${what}: ${expected.join(', ').trim()}`, async () => {
      expect(await listViolations(set)).to.deep.equal(expected)
    })

  it('exceptions that cancel only some alternatives are valid', async () => {
    for (const except of ['день', 'день вам всем', 'добрый вам', 'вам добрый'])
      expect(
        await listViolations(createSet({ any: { ru: ['добрый день/вечер вам'] }, except: { ru: [except] } })),
      ).to.deep.equal([])
  })

  it('validating a rule set at its size limits yields to the event loop', async () => {
    const wide = (last: string) => Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к').join(' ') + ` ${last}`
    const [any, except] = ['л', 'м'].map((last) => ({ ru: Array.from({ length: 200 }, () => wide(last)) }))
    const set = makeScoreRuleSet(...Array.from({ length: 3 }, () => ({ ...saidRule, any: any!, except: except! })))
    let found: unknown
    expect(
      await countEventLoopTurns(collectRuleSetViolations(set).then((violations) => (found = violations))),
    ).to.be.greaterThan(3)
    expect(found).to.deep.equal([])
  })

  it('values that are not rule sets get violations instead of an exception', async () => {
    for (const set of [null, [], 1, { rules: [null, 1, {}] }, { rules: [{ all: [1], any: 1, after: 1, window: 1 }] }])
      expect((await collectRuleSetViolations(set)).length).to.be.greaterThan(0)
  })
})
