import { expect } from 'chai'
import { judgeCall } from './judge-call.ts'
import { SHIPPED_RULE_SETS } from './shipped.ts'
import {
  makeDialogue,
  judgeRule,
  findPhraseQuote,
  makeScoreRuleSet,
  countEventLoopTurns,
} from '../../test/dialogues.ts'
import type { Dialogue } from './types.ts'

const createLongCall = (text: string, letters = 1_000_000): Dialogue =>
  makeDialogue([0, 3600, `A: ${text.repeat(Math.ceil(letters / text.length))}`])

describe('rules with hostile input', () => {
  it('a word of a thousand letters matches only itself', async () => {
    const word = 'перезвоню'.repeat(111)
    expect(await findPhraseQuote('перезвоню', `вот ${word} вот`)).to.equal(undefined)
    expect(await findPhraseQuote('вот вот', `вот ${word} вот`)).to.equal(`вот ${word} вот`)
  })

  it('names of JavaScript properties match as ordinary words', async () => {
    for (const word of ['constructor', 'proto', 'hasOwnProperty', 'toString', 'valueOf'])
      expect(await findPhraseQuote(word, `the ${word} is`), word).to.equal(word)
  })

  it('the matcher accepts other alphabets, signs and broken characters', async () => {
    for (const text of ['שלום', '你好', '👍🏽', '\ud800', '\u0000', '́́́', 'a'.repeat(40), "'''", '"«{', '5,5,5.', '%$№'])
      expect(
        (await judgeRule({ kind: 'said', any: { ru: ['день'] } }, makeDialogue(`A: ${text}`))).verdict,
        text,
      ).to.equal('missed')
  })

  it('regular expressions in phrases have no special meaning', async () => {
    expect(await findPhraseQuote('(а+)+$', 'а'.repeat(28))).to.equal(undefined)
    expect(await findPhraseQuote('.*', 'что угодно')).to.equal(undefined)
  })

  for (const [what, text] of [
    ['one word', 'дорого '],
    ['one letter', 'а '],
    ['fillers', 'ну вот э '],
    ['numbers', 'сто двадцать тысяч '],
    ['digits', '1 '],
    ['one long word', 'а'],
    ['dots', '. '],
    ['apostrophes', "'d'd"],
  ] as const)
    it(`judging 200 KB of ${what} yields to the event loop`, async () => {
      const phrases = {
        ru: ['дорого дорого дорого дорого', 'а а а а а а а а а а', 'ну ну ну ну', '{число} {число} рублей'],
      }
      const rules = makeScoreRuleSet(
        { kind: 'said', any: phrases },
        { kind: 'asked', any: phrases },
        { kind: 'number', any: phrases },
      )
      const dialogue = createLongCall(text, 200_000)
      let findings = 0
      const turns = await countEventLoopTurns(
        judgeCall(rules, dialogue).then((judged) => (findings = judged.findings.length)),
      )
      expect(findings).to.equal(3)
      // A text of many words takes long, so judging it must yield to the event loop.
      if (text.length < 200 && text.includes(' ') && text !== '. ') expect(turns).to.be.greaterThan(3)
    })

  it('judging 1 MB of text by the shipped rules yields to the event loop', async () => {
    const talk = 'здравствуйте сколько стоит доставка и когда вам удобно перезвонить мне это дорого надо подумать, '
    const dialogue = createLongCall(talk)
    const work = (async () => {
      for (const set of SHIPPED_RULE_SETS) await judgeCall(set, dialogue)
    })()
    expect(await countEventLoopTurns(work)).to.be.greaterThan(20)
  })

  it('measuring 100,000 segments yields to the event loop', async () => {
    const piece = (n: number) => ({ channel: n % 2, start: n / 10, end: n / 10 + 0.5, text: 'да да да' })
    const dialogue = { ...makeDialogue('A: да'), segments: Array.from({ length: 100_000 }, (_, n) => piece(n)) }
    await judgeRule({ kind: 'said', any: { ru: ['нет'] } }, dialogue)
    const kinds = ['talkShare', 'interruptions', 'monologue', 'longestSilence', 'pace'] as const
    const rules = kinds.map((kind) => ({ kind, side: 'agent', max: 1 }) as const)
    expect(await countEventLoopTurns(judgeCall(makeScoreRuleSet(...rules), dialogue))).to.be.greaterThan(4)
  })

  it('a finding has at most ten quotes', async () => {
    const { evidence, why } = await judgeRule(
      { kind: 'said', any: { ru: ['дорого'] } },
      createLongCall('дорого ', 10_000),
    )
    expect(evidence).to.have.length(10)
    expect(why).to.deep.equal({ code: 'found', count: 1429 })
  })

  it('empty calls, empty segments and segments without duration can be judged', async () => {
    for (const dialogue of [makeDialogue(), makeDialogue('A: '), makeDialogue([5, 5, 'A: алло'], [3, 1, 'C: да'])])
      for (const set of SHIPPED_RULE_SETS)
        expect((await judgeCall(set, dialogue)).findings).to.have.length(set.rules.length)
  })
})
