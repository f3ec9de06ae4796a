import { expect } from 'chai'
import { chooseDeals, type Candidate, type Known } from './choose.ts'

const DAY = 24 * 3600_000
const CALL = new Date('2026-03-12T14:28:00Z')
const after = (days: number) => new Date(CALL.getTime() + days * DAY)

/** A deal created and closed so many days after the call. */
const deal = (id: string, made: number, closed: number | null, responsibleId = '12'): Candidate => ({
  id,
  createdAt: after(made),
  closedAt: closed === null ? null : after(closed),
  responsibleId,
})
const choose = (known: Partial<Known>) =>
  chooseDeals({ startedAt: CALL, userId: '12', byActivity: [], byPhone: [], ...known })

describe('which deals a call belongs to', () => {
  it('is what a person said, even nothing, then the activity, then the phone', () => {
    const byPhone = [deal('3', -1, null)]
    const all = { byPerson: ['1'], byActivity: ['2', '2'], byPhone }
    expect(choose(all)).to.deep.equal({ linkedBy: 'person', dealIds: ['1'], isAmbiguous: false })
    expect(choose({ ...all, byPerson: [] })).to.deep.equal({ linkedBy: 'person', dealIds: [], isAmbiguous: false })
    expect(choose({ byActivity: ['2', '2'], byPhone })).to.deep.include({ linkedBy: 'activity', dealIds: ['2'] })
    expect(choose({ byPhone })).to.deep.equal({ linkedBy: 'phone', dealIds: ['3'], isAmbiguous: false })
    expect(choose({})).to.equal(undefined)
  })

  it('takes by phone only deals open at the call, made within 14 days after or closed within 14 days before', () => {
    const found = (candidate: Candidate) => choose({ byPhone: [candidate] }) !== undefined
    expect(found(deal('1', -400, null))).to.equal(true)
    expect(found(deal('1', -400, 3))).to.equal(true)
    expect(found(deal('1', 14, null))).to.equal(true)
    expect(found(deal('1', 14.01, null))).to.equal(false)
    expect(found(deal('1', -60, -14))).to.equal(true)
    expect(found(deal('1', -60, -14.01))).to.equal(false)
  })

  it('prefers deals of the caller; several that remain are ambiguous', () => {
    const [own, other] = [deal('1', -1, null), deal('2', -1, null, '13')]
    expect(choose({ byPhone: [other, own] })).to.deep.include({ dealIds: ['1'], isAmbiguous: false })
    expect(choose({ byPhone: [other] })).to.deep.include({ dealIds: ['2'], isAmbiguous: false })
    expect(choose({ byPhone: [own, deal('3', -2, null)] })).to.deep.include({ dealIds: ['1', '3'], isAmbiguous: true })
    expect(choose({ byPhone: [own, own] })).to.deep.include({ dealIds: ['1'], isAmbiguous: false })
    expect(choose({ userId: null, byPhone: [own, other] })).to.deep.include({ isAmbiguous: true })
  })
})
