import { expect } from 'chai'
import {
  formatCrmComment,
  isOwnCommentText,
  formatMovedCrmComment,
  formatCommentMarker,
  type CommentedCall,
} from './text.ts'

const CALL: CommentedCall = {
  recordingId: '0197a0d0-0000-7000-8000-000000000001',
  startedAt: new Date('2026-03-12T14:28:46Z'),
  direction: 'INBOUND',
  durationSeconds: 95.2,
  managerName: 'Anna Kovaleva',
  score: 72.4,
  missed: ['next step', 'budget'],
}
const formatLines = (changes: Partial<CommentedCall> = {}, base: string | undefined = 'https://panel.example/') =>
  formatCrmComment({ ...CALL, ...changes }, 'Europe/Moscow', base).split('\n')

describe('text of deal comments', () => {
  it('a comment has time, direction, length, manager, score, missed rules and a link', () => {
    expect(formatLines()).to.deep.equal([
      'Call 12 Mar 2026 17:28, incoming, 1 min 35 s, Anna Kovaleva',
      'Score 72 of 100. Missed: next step; budget.',
      'https://panel.example/recordings/0197a0d0-0000-7000-8000-000000000001',
    ])
  })

  it('a comment omits unknown values, and has an id instead of a missing public URL', () => {
    const missingFields = { direction: null, durationSeconds: null, managerName: null, score: null, missed: [] }
    expect(formatCrmComment({ ...CALL, ...missingFields }, 'Europe/Moscow', undefined)).to.equal(
      `Call 12 Mar 2026 17:28\nsvc:${CALL.recordingId}`,
    )
    expect(formatLines({ score: 100, missed: [], durationSeconds: 3600 })[1]).to.equal('Score 100 of 100.')
    expect(formatCommentMarker('x', 'https://a.example/p')).to.equal('https://a.example/p/recordings/x')
  })

  it('a comment contains no portal markup and no line breaks from names', () => {
    const [first, second] = formatLines({ managerName: '[URL=x]Anna[/URL]\nB', missed: ['[b]x'] })
    expect(first).to.match(/\(URL=x\)Anna\(\/URL\) B$/)
    expect(second).to.equal('Score 72 of 100. Missed: (b)x.')
    expect(formatLines({ missed: Array.from({ length: 12 }, (_, n) => `rule ${n}`) })[1]).to.match(/rule 9; 2 more\.$/)
  })

  it('our comment is recognized by its start and end, whatever markup surrounds its link', () => {
    const id = CALL.recordingId
    const link = `https://panel.example/recordings/${id}`
    for (const base of ['https://panel.example/', undefined]) {
      for (const text of [
        formatCrmComment(CALL, 'Europe/Moscow', base),
        formatMovedCrmComment(CALL, 'Europe/Moscow', base),
      ]) {
        expect(isOwnCommentText(text, id)).to.equal(true)
        expect(isOwnCommentText(`${text.replaceAll('\n', '<br />\r\n')}\n`, id)).to.equal(true)
      }
    }
    const marked = formatLines().join('\n').replace(link, `[URL=${link}]${link}[/URL]`)
    expect(isOwnCommentText(marked, id)).to.equal(true)
    for (const other of [
      link,
      `See ${link}`,
      `${formatLines().join('\n')} and more`,
      `Call me\n${link}`,
      formatLines().join('\n').slice(1),
    ])
      expect(isOwnCommentText(other, id), other).to.equal(false)
    expect(isOwnCommentText(formatLines().join('\n'), '0197a0d0-0000-7000-8000-000000000002')).to.equal(false)
  })
})
