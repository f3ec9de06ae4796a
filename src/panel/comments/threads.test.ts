import { expect } from 'chai'
import type { CommentJson } from '../../work/comments/schema.ts'
import { findFoldedThreads, findTurnRow, groupIntoThreads, placeDots, splitAtMentions } from './threads.ts'

const createComment = (id: string, at = 0, more: Partial<CommentJson> = {}) =>
  ({ id, at, text: 'Good', replyTo: null, ...more }) as CommentJson
const createThreads = (...moments: number[]) => groupIntoThreads(moments.map((at, n) => createComment(String(n), at)))

describe('threads of comments', () => {
  it('a reply belongs to the thread of its first comment', () => {
    const threads = groupIntoThreads([
      createComment('a'),
      createComment('b', 9, { replyTo: 'a' }),
      createComment('c', 2),
    ])
    expect(threads.map(({ comments }) => comments.map(({ id }) => id))).to.deep.equal([['a', 'b'], ['c']])
  })

  it('a moment belongs to the last turn that has begun, else to the first turn', () => {
    const segments = [{ start: 2 }, { start: 3 }, { start: 5.27 }]
    const turns = [{ from: 0 }, { from: 2 }]
    const rows = [0, 4, 5.2, 99].map((at) => findTurnRow(segments, turns, at))
    expect(rows).to.deep.equal([0, 0, 2, 2])
    expect(findTurnRow([], [], 7)).to.equal(0)
  })

  it('threads beyond the size limit of a page are folded, but not the requested one', () => {
    const long = groupIntoThreads(
      Array.from({ length: 30 }, (_, n) => createComment(String(n), n, { text: 'x'.repeat(2000) })),
    )
    expect(findFoldedThreads(createThreads(1, 2, 3), undefined).size).to.equal(0)
    expect([...findFoldedThreads(long, undefined)])
      .to.include('29')
      .and.not.include('0')
    expect([...findFoldedThreads(long, '29')])
      .to.include('28')
      .and.not.include('29')
  })

  it('only names of mentioned people after an @ are marked, and the longest name wins', () => {
    const pieces = splitAtMentions('@Max Hill and @Max, write a@b to @Eve', ['Max', 'Max Hill'])
    expect(pieces.filter(({ isMention }) => isMention).map(({ text }) => text)).to.deep.equal(['@Max Hill', '@Max'])
    expect(pieces.map(({ text }) => text).join('')).to.equal('@Max Hill and @Max, write a@b to @Eve')
  })

  it('dots that would overlap are one dot at the first moment', () => {
    const dots = placeDots(createThreads(10, 12, 50, 99, 100), 100)
    expect(dots.map(({ x, threads }) => [x, threads.length])).to.deep.equal([
      [10, 2],
      [50, 1],
      [99, 2],
    ])
  })
})
