import { expect } from 'chai'
import { createPanelLanguages } from '../words.ts'
import { formatAudioProblems } from './audio.ts'

describe('panel: audio problems of a call', () => {
  const languages = createPanelLanguages('Europe/Minsk')
  const silence = { channels: 2, speechSeconds: [0, 0], silent: [true, true], identical: true, clipped: false }
  const formatInAllLanguages = (more: object = {}) =>
    languages.map((language) => formatAudioProblems({ ...silence, ...more }, null, language))

  it('silence in all channels is described as "no audio"', () => {
    expect(formatInAllLanguages()).to.deep.equal(['no audio', 'нет звука'])
    expect(formatInAllLanguages({ identical: false })).to.deep.equal(['no audio', 'нет звука'])
    const mono = { channels: 1, speechSeconds: [0], silent: [true], identical: false }
    expect(formatInAllLanguages(mono)).to.deep.equal(['no audio', 'нет звука'])
  })

  it('audio without speech is described as "no speech", with other problems', () => {
    expect(formatInAllLanguages({ silent: [false, false], clipped: true })).to.deep.equal([
      'no speech; both channels are identical; too loud, distorted',
      'нет речи; оба канала одинаковы; слишком громко, с искажениями',
    ])
    expect(formatInAllLanguages({ silent: [false, true], identical: false })).to.deep.equal([
      'no speech; channel 2: no audio',
      'нет речи; канал 2: нет звука',
    ])
  })
})
