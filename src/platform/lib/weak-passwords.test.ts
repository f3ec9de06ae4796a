import { expect } from 'chai'
import { findPasswordWeakness } from './weak-passwords.ts'

const TATIANA = { email: 'tanya@example.com', name: 'Tatiana Borisova' }

describe('weak passwords', () => {
  it('common passwords are weak in any case and with usual endings', () => {
    const common =
      'password Password1 PASSWORD123! p@ssw0rd passw0rd2024 12345678 123456789012 87654321 11111111 00000000 qwertyuiop ' +
      'Qwerty123 1q2w3e4r 1qaz2wsx qazwsxedc zaq12wsx abcdefgh abcd1234 abc12345 iloveyou Iloveyou2! letmein1 welcome1 admin123 ' +
      'administrator changeme football baseball sunshine princess superman trustno1 testtest test1234 monkey12 dragon123 ' +
      'asdfghjkl zxcvbnm1 12121212 abcabcabc qweqweqwe пароль123 йцукенгш gfhjkm123 ghbdtn123 любовь123 manager1 secret123'
    for (const password of common.split(' ')) {
      expect(findPasswordWeakness(password, TATIANA), password).to.equal('common')
    }
  })

  it('combinations of common words and key sequences are weak', () => {
    const common = [
      ...'11223344 aabbccdd 12345678a a12345678 1234567q 1234qwer 123qweasd qwe123qwe qwe12345 asd123asd a1b2c3d4'.split(
        ' ',
      ),
      ...'aaaa1111 147258369 741852963 159753456 789456123 123456qwerty password123456789 1password 2024admin!'.split(
        ' ',
      ),
      ...'mypassword mypassword1 thepassword p@ssword123456789 adminpassword asdfjkl; !@#$%^&* 12345678!'.split(' '),
      ...'Moscow123 Minsk2024 Москва2024 vjcrdf123 9876qwerty 321321321 qwertyqwerty1 1q2w3e4r5t'.split(' '),
      'password password',
      '1234 5678',
    ]
    for (const password of common) expect(findPasswordWeakness(password, TATIANA), password).to.equal('common')
  })

  it('the e-mail, its first part and the name are weak passwords', () => {
    for (const password of [
      'tanya@example.com',
      ' TANYA@EXAMPLE.COM',
      'Tatiana Borisova',
      'tatianaborisova',
      'tatiana.borisova',
    ]) {
      expect(findPasswordWeakness(password, TATIANA), password).to.be.oneOf(['isEmail', 'isName'])
    }
    expect(findPasswordWeakness('tatiana.b', { email: 'tatiana.b@example.com', name: 'T' })).to.equal('isEmail')
  })

  it('uncommon passwords are not weak', () => {
    const good = [
      'correct horse battery',
      'forty blue umbrellas',
      'Tr0ub4dor&3',
      'xk7-Qm2-vP9',
      'мой кот ест арбузы',
      'orange tiger winter',
      'my purple cat',
      'the tall chestnut',
      '11 horses ate 23 apples',
      'sn0w-in-minsk-2024-again',
      'qT7!wZ3#',
      'k3x9-test-77',
      'f8a1c3d5e7',
      '90417365',
      '1234-kettle-wind',
      'J9#mmPq!',
      'hanna-password',
      '🔑🔑🗝️🚪🏠🐈🐕🌳',
    ]
    for (const password of good) expect(findPasswordWeakness(password, TATIANA), password).to.equal(undefined)
  })

  it('findPasswordWeakness() is fast for long passwords of any kind', () => {
    const before = process.cpuUsage()
    for (const piece of ['a', 'ab', 'aaaaaaab', '1!', 'ж1', ' '])
      findPasswordWeakness(`${piece.repeat(1024)}x`.slice(-1024), TATIANA)
    expect(process.cpuUsage(before).user, 'µs of the processor').to.be.below(500_000)
  })
})
