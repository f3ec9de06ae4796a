import { expect } from 'chai'
import { createPanelLanguages } from '../words.ts'
import { formatVerdictReason } from './verdict-reason.ts'

describe('panel: reasons of verdicts on the call page', () => {
  const [english, russian] = createPanelLanguages('Europe/Minsk')
  const span = { from: 15, to: 95 }

  it('the reason of a missed rule names the searched period', () => {
    expect(formatVerdictReason({ code: 'notFound', ...span }, 'said', english!)).to.equal('Not said in 0:15–1:35.')
    expect(formatVerdictReason({ code: 'notInOrder', step: 2, ...span }, 'order', english!)).to.equal(
      'Step 2 is missing or out of order. Searched in 0:15–1:35.',
    )
    expect(formatVerdictReason({ code: 'noReply', within: 30, ...span }, 'reply', english!)).to.equal(
      'No answer within 30 s. Searched in 0:15–1:35.',
    )
    expect(formatVerdictReason({ code: 'noReply', within: null, ...span }, 'reply', russian!)).to.equal(
      'Ответа не было. Поиск в 0:15–1:35.',
    )
  })
})
