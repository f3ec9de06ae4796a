import { expect } from 'chai'
import { passwordFault } from './passwords.ts'

const TATIANA = { email: 'tanya@example.com', name: 'Tatiana Borisova' }

describe('passwords', () => {
  it('that everybody guesses first are refused, in any case and with the usual tails', () => {
    const common =
      'password Password1 PASSWORD123! p@ssw0rd passw0rd2024 12345678 123456789012 87654321 11111111 00000000 qwertyuiop ' +
      'Qwerty123 1q2w3e4r 1qaz2wsx qazwsxedc zaq12wsx abcdefgh abcd1234 abc12345 iloveyou Iloveyou2! letmein1 welcome1 admin123 ' +
      'administrator changeme football baseball sunshine princess superman trustno1 testtest test1234 monkey12 dragon123 ' +
      'asdfghjkl zxcvbnm1 12121212 abcabcabc qweqweqwe пароль123 йцукенгш gfhjkm123 ghbdtn123 любовь123 manager1 secret123'
    for (const password of common.split(' ')) {
      expect(passwordFault(password, TATIANA), password).to.match(/most common/)
    }
  })

  it('that are the e-mail, its first part or the name are refused', () => {
    for (const password of [
      'tanya@example.com',
      ' TANYA@EXAMPLE.COM',
      'Tatiana Borisova',
      'tatianaborisova',
      'tatiana.borisova',
    ]) {
      expect(passwordFault(password, TATIANA), password).to.match(/^must not be the (e-mail|name)$/)
    }
    expect(passwordFault('tatiana.b', { email: 'tatiana.b@example.com', name: 'T' })).to.match(/e-mail/)
  })

  it('that nobody guesses so soon are taken', () => {
    const good = [
      'correct horse battery',
      'forty blue umbrellas',
      'Tr0ub4dor&3',
      'xk7-Qm2-vP9',
      'мой кот ест арбузы',
      'J9#mmPq!',
      'hanna-password',
      '🔑🔑🗝️🚪🏠🐈🐕🌳',
    ]
    for (const password of good) expect(passwordFault(password, TATIANA), password).to.equal(undefined)
  })

  it('of any length and kind are judged at once', () => {
    const started = performance.now()
    for (const piece of ['a', 'ab', 'aaaaaaab', '1!', 'ж1', ' '])
      passwordFault(`${piece.repeat(1024)}x`.slice(-1024), TATIANA)
    expect(performance.now() - started).to.be.below(500)
  })
})
