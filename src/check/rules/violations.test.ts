import { expect } from 'chai'
import { SHIPPED } from './shipped.ts'
import { setOf, turnsDuring } from '../../test/dialogues.ts'
import type { RuleSetBody } from './types.ts'
import { violationsOf } from './violations.ts'

const said = { kind: 'said', any: { ru: ['добрый день'] } } as const
const names = async (set: unknown): Promise<string[]> =>
  (await violationsOf(set)).map(({ path, rule }) => `${path} ${rule}`)
const withRule = (rule: object): RuleSetBody => setOf({ ...said, ...rule })

describe('violations of a rule set', () => {
  it('are none in the shipped sets', async () => {
    for (const set of SHIPPED) expect(await names(set), set.key).to.deep.equal([])
  })

  it('allow 200 phrases in each language', async () => {
    const phrases = Array.from({ length: 200 }, (_, index) => `слово${index}`)
    expect(await names(withRule({ any: { ru: phrases, en: phrases } }))).to.deep.equal([])
  })

  it('are named all at once, with the path, the key of the rule and a sentence in both languages', async () => {
    const set = setOf({ ...said, any: { ru: [' ', '{кто} это'] }, side: 'boss' as never }, { kind: 'order' })
    const violations = await violationsOf({ ...set, colour: 'red', mode: 'stars' })
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
    ['no set', 'text', ' type'],
    ['no rules', { ...setOf(), rules: [] }, 'rules minItems'],
    ['a phrase over ten words', withRule({ any: { ru: [eleven] } }), 'rules[0].any.ru[0] maxWords'],
    ['a word of 31 letters', withRule({ any: { ru: ['а'.repeat(31)] } }), 'rules[0].any.ru[0] maxLetters'],
    [
      '21 words in the place of one',
      withRule({
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
      '101 words in all, alternatives included',
      withRule({ any: { ru: [Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к/л/м').join(' ')] } }),
      'rules[0].any.ru[0] maxAlternatives',
    ],
    ['a phrase over 1000 characters', withRule({ any: { ru: ['/'.repeat(1001)] } }), 'rules[0].any.ru[0] maxLength'],
    [
      'over 10,000 phrases in all rules',
      setOf(...Array.from({ length: 50 }, () => ({ ...said, any: { ru: many.slice(1) }, except: { ru: ['нет'] } }))),
      'rules maxPhrases',
    ],
    [
      'over 512 KB of rules',
      setOf(...Array.from({ length: 100 }, () => ({ ...said, hint: { en: 'a'.repeat(1500), ru: 'я'.repeat(2000) } }))),
      'rules maxBytes',
    ],
    ['a stroke beside a slot', withRule({ any: { en: ['on {day}/at'] } }), 'rules[0].any.en[0] stroke'],
    ['a phrase of signs alone', withRule({ any: { en: ['?!'] } }), 'rules[0].any.en[0] emptyPhrase'],
    ['an open quotation mark', withRule({ any: { en: ['"this is'] } }), 'rules[0].any.en[0] open'],
    ['an open brace', withRule({ any: { en: ['{name is'] } }), 'rules[0].any.en[0] open'],
    ['a phrase that is no text', withRule({ any: { ...said.any, en: [1] } }), 'rules[0].any.en[0] type'],
    [
      'an unknown language',
      withRule({ any: { ...said.any, de: ['guten Tag'] } }),
      'rules[0].any.de additionalProperties',
    ],
    ['over 200 phrases of one language', withRule({ any: { ru: many } }), 'rules[0] maxPhrases'],
    ['over 200 exceptions', withRule({ except: { ru: many } }), 'rules[0].except maxPhrases'],
    ['no phrases', withRule({ any: { ru: [] } }), 'rules[0].any cannotMatch'],
    ['exceptions of everything', withRule({ except: { ru: ['День'] } }), 'rules[0].any cannotMatch'],
    [
      'exceptions of every phrase, with alternatives',
      withRule({ any: { ru: ['добрый день/вечер вам', 'добрый день'] }, except: { ru: ['вечер/день/утро'] } }),
      'rules[0].any cannotMatch',
    ],
    ['an unknown kind', withRule({ kind: 'regex' }), 'rules[0].kind enum'],
    ['an unknown field', withRule({ regex: '(а+)+$' }), 'rules[0].regex additionalProperties'],
    ['a field without use', withRule({ kind: 'notSaid', min: 2 }), 'rules[0].min unused'],
    ['groups of nothing', withRule({ any: undefined, all: [] }), 'rules[0].all cannotMatch'],
    ['more often than anybody speaks', withRule({ min: 1001 }), 'rules[0].min range'],
    ['min above max', withRule({ min: 3, max: 2 }), 'rules[0].min bounds'],
    ['a weight below 0', withRule({ weight: -1 }), 'rules[0].weight minimum', 'rules noWeight'],
    ['a weight of text', withRule({ weight: '5' }), 'rules[0].weight type', 'rules noWeight'],
    ['weight 0 everywhere', withRule({ weight: 0 }), 'rules noWeight'],
    ['a window of nothing', withRule({ window: {} }), 'rules[0].window window'],
    ['a window of both ends', withRule({ window: { first: 1, last: 1 } }), 'rules[0].window window'],
    ['after nothing', withRule({ after: { within: 5 } }), 'rules[0].after cannotMatch'],
    ['after an unknown rule', withRule({ after: { rule: 'x' } }), 'rules[0].after.rule unknownRule'],
    ['after no text', withRule({ after: { rule: [] as never } }), 'rules[0].after.rule type'],
    ['after itself', withRule({ after: { rule: 'rule-0' } }), 'rules[0].after.rule circle'],
    [
      'a circle of two',
      setOf({ ...said, after: { rule: 'rule-1' } }, { ...said, after: { rule: 'rule-0' } }),
      'rules[0].after.rule circle',
      'rules[1].after.rule circle',
    ],
    [
      'after a rule that finds no words',
      setOf({ ...said, after: { rule: 'rule-1' } }, { kind: 'talkShare', side: 'agent', max: 60 }),
      'rules[0].after.rule cannotMatch',
    ],
    ['a key twice', setOf({ ...said, key: 'same' }, { ...said, key: 'same' }), 'rules[1].key duplicateKey'],
    ['a key of capitals', withRule({ key: 'Price' }), 'rules[0].key key'],
    ['no name', withRule({ name: { en: 'Only' } }), 'rules[0].name.ru required'],
    ['no direction', { ...withRule({}), applies: { direction: [] } }, 'applies.direction minItems'],
    ['an unknown direction', { ...withRule({}), applies: { direction: ['UP'] } }, 'applies.direction[0] enum'],
    ['an order of one step', setOf({ kind: 'order', all: [said.any] }), 'rules[0].all order'],
    ['a share of nobody', setOf({ kind: 'talkShare', side: 'any', max: 5 }), 'rules[0].side side'],
    ['no bound of a measure', setOf({ kind: 'pace' }), 'rules[0].min required'],
  ]
  for (const [what, set, ...expected] of cases)
    it(`${what}: ${expected.join(', ')}`, async () => {
      expect(await names(set)).to.deep.equal(expected)
    })

  it('allow exceptions that match only some alternatives or only in part', async () => {
    for (const except of ['день', 'день вам всем', 'добрый вам', 'вам добрый'])
      expect(await names(withRule({ any: { ru: ['добрый день/вечер вам'] }, except: { ru: [except] } }))).to.deep.equal(
        [],
      )
  })

  it('checking a set at its limits yields to the event loop', async () => {
    const wide = (last: string) => Array.from({ length: 9 }, () => 'а/б/в/г/д/е/ж/з/и/к').join(' ') + ` ${last}`
    const [any, except] = ['л', 'м'].map((last) => ({ ru: Array.from({ length: 200 }, () => wide(last)) }))
    const set = setOf(...Array.from({ length: 3 }, () => ({ ...said, any: any!, except: except! })))
    let found: unknown
    expect(await turnsDuring(violationsOf(set).then((violations) => (found = violations)))).to.be.greaterThan(3)
    expect(found).to.deep.equal([])
  })

  it('ignore values that only resemble a set', async () => {
    for (const set of [null, [], 1, { rules: [null, 1, {}] }, { rules: [{ all: [1], any: 1, after: 1, window: 1 }] }])
      expect((await violationsOf(set)).length).to.be.greaterThan(0)
  })
})
