import { expect } from 'chai'
import { formatReviewEntry } from '../recording/check.ts'
import { createPanelLanguages } from '../words.ts'
import { formatPendingVerdictReason } from './reason.ts'

describe('panel: reasons of verdicts in Reviews', () => {
  const [english, russian] = createPanelLanguages('Europe/Minsk')
  const review = {
    rule: { key: 'name', name: { en: 'Name', ru: 'Имя' }, kind: 'said', weight: 8, critical: false } as const,
    why: null,
    whyCode: { code: 'notFound', from: 0, to: 30 },
    phrases: {
      count: 14,
      examples: { en: ['"my name is"', 'this is {name} from'], ru: ['меня зовут'] },
      side: 'agent' as const,
    },
    evidence: [],
    context: null,
  }

  it('the reason names phrases, speaker and searched part if nothing was said', () => {
    expect(formatPendingVerdictReason(review, english!)).to.equal(
      'None of 14 phrases such as “my name is” or “this is … from” was said by the manager in 0:00–0:30.',
    )
    expect(formatPendingVerdictReason(review, russian!)).to.equal(
      'Ни одна из 14 фраз, например «меня зовут», не прозвучала у менеджера в 0:00–0:30.',
    )
  })

  it('the reason names the quote and its time if a phrase was said', () => {
    const quote = { segment: 1, from: 0, to: 7, quote: 'shut up', start: 64, end: 65, side: 'agent' } as const
    const forbidden = { ...review, whyCode: { code: 'forbidden', count: 1 }, evidence: [quote] }
    expect(formatPendingVerdictReason(forbidden, english!)).to.equal('“shut up” was said at 1:04.')
  })

  describe('a rule about an answer', () => {
    const client = { segment: 1, from: 0, to: 9, quote: 'a bit much', start: 47, end: 48, side: 'client' } as const
    const answer = { segment: 2, from: 0, to: 7, quote: 'because', start: 53, end: 54, side: 'agent' } as const
    const reply = {
      ...review,
      rule: { ...review.rule, kind: 'reply' as const },
      phrases: { ...review.phrases, examples: { en: ['because', 'if'], ru: ['"но/однако"'] } },
    }
    const answered = { ...reply, whyCode: { code: 'found', count: 1 }, evidence: [client, answer] }
    const whyMissed = { code: 'noReply', within: 20, from: 0, to: 300 }
    const unanswered = { ...reply, whyCode: whyMissed, evidence: [client] }

    it('the reason of a met rule quotes both speakers', () => {
      expect(formatPendingVerdictReason(answered, english!)).to.equal(
        'Client, 0:47: “a bit much”. Answer, 0:53: “because”. The rule accepts 14 answers such as “because” or “if”.',
      )
    })

    it('the reason of a missed rule has the expected answers and where they were searched', () => {
      const context = { sentence: 1, start: 47, end: 48, searched: { from: 47, to: 68 }, lines: [] }
      expect(formatPendingVerdictReason({ ...unanswered, context }, english!)).to.equal(
        'Client, 0:47: “a bit much”. None of 14 expected answers such as “because” or “if” followed in 0:47–1:08.',
      )
      expect(formatPendingVerdictReason({ ...unanswered, context }, russian!)).to.equal(
        'Клиент, 0:47: «a bit much». Ни один из 14 ожидаемых ответов, например «но», не прозвучал в 0:47–1:08.',
      )
    })
  })

  it('the reason omits phrases for a rule without a list', () => {
    expect(formatPendingVerdictReason({ ...review, phrases: null }, english!)).to.equal('Not said in 0:00–0:30.')
  })

  it('the history shows a default reason in the language of the reader, and no other comment', () => {
    const entry = {
      kind: 'verdict' as const,
      verdict: 'met' as const,
      machineVerdict: 'missed' as const,
      person: { id: '1', name: 'Hanna' },
      at: '2026-11-16T08:00:00.000Z',
    }
    const show = (comment: string) => formatReviewEntry({ ...entry, comment }, russian!).comment
    expect(show('Agreed with the dispute')).to.equal('Возражение принято')
    expect(show('Decided after listening')).to.equal('По итогам прослушивания')
    expect(show('Agreed')).to.equal('Agreed')
  })
})
