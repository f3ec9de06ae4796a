import { expect } from 'chai'
import { normalisePhoneNumber } from './phone.ts'

describe('phone numbers', () => {
  const NUMBERS: [string, string | null][] = [
    ['+375 (29) 123-45-67', '+375291234567'],
    ['375291234567', '+375291234567'],
    ['80291234567', '+375291234567'],
    ['291234567', '+375291234567'],
    ['84951234567', '+74951234567'],
    ['8 (495) 123-45-67', '+74951234567'],
    ['+7 495 123 45 67', '+74951234567'],
    ['0048221234567', '+48221234567'],
    ['12025550123', '+12025550123'],
    ['+99999999999', '+99999999999'],
    ['tel: 375 29 1234567', '+375291234567'],
    ['201', null],
    ['123456', null],
    ['1234567890123456', null],
    ['anonymous', null],
    ['', null],
  ]
  for (const [written, expected] of NUMBERS) {
    it(`the phone number ${JSON.stringify(written)} is normalized to ${expected}`, () => {
      expect(normalisePhoneNumber(written, ['BY', 'RU'])).to.equal(expected)
    })
  }

  it('a number without country code belongs to the first country in which it is valid', () => {
    expect(normalisePhoneNumber('8 777 123 45 67', ['KZ', 'RU'])).to.equal('+77771234567')
    expect(normalisePhoneNumber('0301234567', ['DE'])).to.equal('+49301234567')
    expect(normalisePhoneNumber('8 (495) 123-45-67', ['DE'])).to.equal('+84951234567')
    expect(normalisePhoneNumber('0301234567', ['AQ'])).to.equal('+0301234567')
  })
})
