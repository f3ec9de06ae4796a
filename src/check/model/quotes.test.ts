import { expect } from 'chai'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { countEventLoopTurns } from '../../test/dialogues.ts'
import type { Dialogue } from '../rules/types.ts'
import { makeTurnSegments } from '../../test/rule-sets.ts'
import { parseModelAnswers } from './answers.ts'
import { parseRateLimitPauseSeconds } from './client.ts'
import { TranscriptMask } from './mask.ts'
import { findQuoteEvidence } from './quotes.ts'

const createDialogue = (...lines: string[]): Dialogue => ({
  segments: makeTurnSegments(...lines),
  channels: 2,
  agentChannel: 0,
  direction: null,
  durationSeconds: 2 * lines.length,
})

describe('what is taken from a model', () => {
  before(() => loadMorphology())

  const call = createDialogue(
    'Добрый день, компания «Ромашка», слушаю вас.',
    'А сколько это будет стоить?',
    'Полторы тысячи рублей в месяц, доставка для вас бесплатно.',
    'Ёлки, дорого!',
  )
  const agent = { side: 'agent', exact: false } as const

  it('is a quote that stands in the transcript, whatever its case and signs, and in the transcript’s own words', async () => {
    const found = await findQuoteEvidence(call, { segment: 0, quote: 'компания ромашка слушаю' }, agent)
    expect(found).to.include({ segment: 0, quote: 'компания «Ромашка», слушаю', side: 'agent' })
    const line = call.segments[0]!.text
    expect(line.slice(found!.from, found!.to)).to.equal(found!.quote)
    expect(
      (await findQuoteEvidence(call, { segment: 3, quote: 'елки ДОРОГО' }, { side: 'client', exact: true }))!.quote,
    ).to.equal('Ёлки, дорого')
  })

  it('is one with numbers in digits, of a line near the one that was named, and of most words of it', async () => {
    expect((await findQuoteEvidence(call, { segment: 2, quote: '1500 рублей' }, agent))!.quote).to.equal(
      'Полторы тысячи рублей',
    )
    expect(
      (await findQuoteEvidence(call, { segment: 0, quote: 'доставка для вас бесплатно' }, agent))!.segment,
    ).to.equal(2)
    const oneShort = { segment: 2, quote: '1500 рублей в месяц, доставка бесплатно' }
    expect((await findQuoteEvidence(call, oneShort, agent))!.quote).to.contain('доставка для вас бесплатно')
    expect(await findQuoteEvidence(call, oneShort, { side: 'agent', exact: true }), 'not of a critical rule').to.equal(
      undefined,
    )
  })

  it('is one that begins in the seconds in which the rule looks, also where the same words stand earlier in the line', async () => {
    const line = { channel: 0, start: 0, end: 40, text: 'Спасибо, до свидания. Нет, постойте. Всё тогда, до свидания' }
    const bye = { ...call, segments: [line] }
    const quote = { segment: 0, quote: 'до свидания' }
    expect((await findQuoteEvidence(bye, quote, agent))!.from).to.equal(line.text.indexOf('до свидания'))
    expect((await findQuoteEvidence(bye, quote, { ...agent, from: 20, to: 40 }))!.from).to.equal(
      line.text.lastIndexOf('до свидания'),
    )
    expect(await findQuoteEvidence(bye, quote, { ...agent, from: 0, to: 3 })).to.equal(undefined)
    const oneShort = { segment: 2, quote: '1500 рублей в месяц, доставка бесплатно' }
    expect(await findQuoteEvidence(call, oneShort, { ...agent, from: 5, to: 8 })).to.equal(undefined)
  })

  for (const [what, quote] of [
    ['of the other side', { segment: 1, quote: 'А сколько это будет стоить?' }],
    ['that was never said', { segment: 2, quote: 'мы дарим вам скидку на первый заказ' }],
    ['too far from the named line', { segment: 9, quote: 'Добрый день' }],
    ['without words', { segment: 0, quote: ' … ' }],
    ['of the same words in another order', { segment: 2, quote: 'бесплатно для вас месяц рублей доставка' }],
  ] as const) {
    it(`is no quote ${what}`, async () => expect(await findQuoteEvidence(call, quote, agent)).to.equal(undefined))
  }

  it('is looked for in 1 MB of text while others are let in, and so is the text hidden', async () => {
    const text = 'здравствуйте сколько стоит доставка и когда вам удобно перезвонить мне это дорого надо подумать, '
    const long = { ...call, segments: [{ channel: 0, start: 0, end: 3600, text: text.repeat(10_000) }] }
    const quote = 'когда надо дорого сколько вам это стоит здравствуйте'
    expect(await countEventLoopTurns(findQuoteEvidence(long, { segment: 0, quote }, agent))).to.be.greaterThan(5)
    expect(await countEventLoopTurns(TranscriptMask.create(long, { names: true }))).to.be.greaterThan(5)
  })

  it('is JSON with answers, also in a fence; prose, half of it, other ids and two of one id are none', () => {
    const one = { id: 'a', verdict: 'met', segment: 0, quote: 'x', why: 'y' }
    const whole = JSON.stringify({ answers: [one] })
    expect(parseModelAnswers(whole, ['a'])).to.deep.equal([one])
    expect(parseModelAnswers('```json\n' + whole + '\n```', ['a'])).to.deep.equal([one])
    const prose = ['The agent greets.', '```\n' + whole, '```json ' + whole + '```', '```python\n' + whole + '\n```']
    const hostile = [
      '```' + '\n'.repeat(50_000) + 'x',
      '['.repeat(50_000),
      `{"answers":${'['.repeat(40)}${']'.repeat(40)}}`,
    ]
    const valuesTooMany = `{"answers":[${whole.slice(12, -2)},${'0,'.repeat(50_000)}0]}`
    for (const text of [...prose, ...hostile, valuesTooMany, whole.slice(0, -5), '', '[]', 'null', '{"answers":{}}']) {
      expect(parseModelAnswers(text, ['a']), text.slice(0, 100)).to.deep.equal([])
    }
    const of = (...answers: object[]) => parseModelAnswers(JSON.stringify({ answers }), ['a'])
    expect(of({ ...one, id: 'b' })).to.deep.equal([])
    expect(of(one, { ...one, verdict: 'missed' })).to.deep.equal([])
    expect(of({ ...one, score: 100 })).to.deep.equal([])
    expect(of({ ...one, verdict: 'unknown' })).to.deep.equal([])
    expect(of({ ...one, why: 'w'.repeat(500) })[0]!.why).to.have.length(200)
  })

  it('is the pause that it asks for: Retry-After, else the larger of its limits', () => {
    expect(parseRateLimitPauseSeconds({ 'retry-after': '20' })).to.equal(20)
    expect(parseRateLimitPauseSeconds({ 'retry-after': new Date(61_000).toUTCString() }, 1000)).to.equal(60)
    expect(
      parseRateLimitPauseSeconds({ 'x-ratelimit-reset-requests': '1m30s', 'x-ratelimit-reset-tokens': '6.2' }),
    ).to.equal(90)
    expect(parseRateLimitPauseSeconds({ 'x-ratelimit-reset-tokens': '250ms' })).to.equal(0.25)
    expect(parseRateLimitPauseSeconds({ 'retry-after': '999999' })).to.equal(3600)
    expect(parseRateLimitPauseSeconds({ 'retry-after': 'soon' })).to.equal(undefined)
    expect(parseRateLimitPauseSeconds({})).to.equal(undefined)
  })
})
