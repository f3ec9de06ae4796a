import { expect } from 'chai'
import { chooseDealsOfCall, type DealCandidate, type CallDealEvidence } from './choose-deals.ts'

const DAY_MS = 24 * 3600_000
const CALL_TIME = new Date('2026-03-12T14:28:00Z')
const daysAfterCall = (days: number) => new Date(CALL_TIME.getTime() + days * DAY_MS)

/** Creates a deal that was created and closed this many days after the call. */
const createDeal = (id: string, made: number, closed: number | null, responsibleId = '12'): DealCandidate => ({
  id,
  createdAt: daysAfterCall(made),
  closedAt: closed === null ? null : daysAfterCall(closed),
  responsibleId,
})
const chooseFrom = (known: Partial<CallDealEvidence>) =>
  chooseDealsOfCall({ startedAt: CALL_TIME, userId: '12', byActivity: [], byPhone: [], ...known })

describe('choice of deals for a call', () => {
  it('a person’s choice precedes deals by activity, which precede deals by phone', () => {
    const byPhone = [createDeal('3', -1, null)]
    const all = { byPerson: ['1'], byActivity: ['2', '2'], byPhone }
    expect(chooseFrom(all)).to.deep.equal({ linkedBy: 'person', dealIds: ['1'], isAmbiguous: false })
    expect(chooseFrom({ ...all, byPerson: [] })).to.deep.equal({ linkedBy: 'person', dealIds: [], isAmbiguous: false })
    expect(chooseFrom({ byActivity: ['2', '2'], byPhone })).to.deep.include({ linkedBy: 'activity', dealIds: ['2'] })
    expect(chooseFrom({ byPhone })).to.deep.equal({ linkedBy: 'phone', dealIds: ['3'], isAmbiguous: false })
    expect(chooseFrom({})).to.equal(undefined)
  })

  it('by phone, only deals that were open within 14 days of the call match', () => {
    const found = (candidate: DealCandidate) => chooseFrom({ byPhone: [candidate] }) !== undefined
    expect(found(createDeal('1', -400, null))).to.equal(true)
    expect(found(createDeal('1', -400, 3))).to.equal(true)
    expect(found(createDeal('1', 14, null))).to.equal(true)
    expect(found(createDeal('1', 14.01, null))).to.equal(false)
    expect(found(createDeal('1', -60, -14))).to.equal(true)
    expect(found(createDeal('1', -60, -14.01))).to.equal(false)
  })

  it('deals of the call’s manager take precedence; several remaining deals are ambiguous', () => {
    const [own, other] = [createDeal('1', -1, null), createDeal('2', -1, null, '13')]
    expect(chooseFrom({ byPhone: [other, own] })).to.deep.include({ dealIds: ['1'], isAmbiguous: false })
    expect(chooseFrom({ byPhone: [other] })).to.deep.include({ dealIds: ['2'], isAmbiguous: false })
    expect(chooseFrom({ byPhone: [own, createDeal('3', -2, null)] })).to.deep.include({
      dealIds: ['1', '3'],
      isAmbiguous: true,
    })
    expect(chooseFrom({ byPhone: [own, own] })).to.deep.include({ dealIds: ['1'], isAmbiguous: false })
    expect(chooseFrom({ userId: null, byPhone: [own, other] })).to.deep.include({ isAmbiguous: true })
  })
})
