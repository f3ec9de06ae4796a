import { expect } from 'chai'
import { loadMorphology } from '../../platform/lib/morphology.ts'
import { countEventLoopTurns } from '../../test/dialogues.ts'
import type { Dialogue } from '../rules/types.ts'
import { makeTurnSegments } from '../../test/transcripts.ts'
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

describe('validation of model answers', () => {
  before(() => loadMorphology())

  const call = createDialogue(
    'Добрый день, компания «Ромашка», слушаю вас.',
    'А сколько это будет стоить?',
    'Полторы тысячи рублей в месяц, доставка для вас бесплатно.',
    'Ёлки, дорого!',
  )
  const agent = { side: 'agent', exact: false } as const

  it('a model quote matches the transcript regardless of case and punctuation', async () => {
    const found = await findQuoteEvidence(call, { segment: 0, quote: 'компания ромашка слушаю' }, agent)
    expect(found).to.include({ segment: 0, quote: 'компания «Ромашка», слушаю', side: 'agent' })
    const line = call.segments[0]!.text
    expect(line.slice(found!.from, found!.to)).to.equal(found!.quote)
    expect(
      (await findQuoteEvidence(call, { segment: 3, quote: 'елки ДОРОГО' }, { side: 'client', exact: true }))!.quote,
    ).to.equal('Ёлки, дорого')
  })

  it('a model quote can have digits for numbers, a near line and missing words', async () => {
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

  it('a model quote must begin within the window of the rule', async () => {
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
    ['belongs to the other side', { segment: 1, quote: 'А сколько это будет стоить?' }],
    ['is not in the transcript', { segment: 2, quote: 'мы дарим вам скидку на первый заказ' }],
    ['is too far from the named line', { segment: 9, quote: 'Добрый день' }],
    ['has no words', { segment: 0, quote: ' … ' }],
    ['has the words in another order', { segment: 2, quote: 'бесплатно для вас месяц рублей доставка' }],
  ] as const) {
    it(`a model quote is rejected if it ${what}`, async () =>
      expect(await findQuoteEvidence(call, quote, agent)).to.equal(undefined))
  }

  it('finding quotes and masking 1 MB of text yields to the event loop', async () => {
    const text = 'здравствуйте сколько стоит доставка и когда вам удобно перезвонить мне это дорого надо подумать, '
    const long = { ...call, segments: [{ channel: 0, start: 0, end: 3600, text: text.repeat(10_000) }] }
    const quote = 'когда надо дорого сколько вам это стоит здравствуйте'
    expect(await countEventLoopTurns(findQuoteEvidence(long, { segment: 0, quote }, agent))).to.be.greaterThan(5)
    expect(await countEventLoopTurns(TranscriptMask.create(long, { names: true }))).to.be.greaterThan(5)
  })

  it('only complete JSON answers with one answer for each requested rule are accepted', () => {
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

  it('the requested pause is Retry-After, else the longest rate limit', () => {
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
