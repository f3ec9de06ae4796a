import { expect } from 'chai'
import { runInRequestContext } from '../platform/lib/log.ts'
import { defineMessages, toBilingualCode, messageTemplates } from '../platform/lib/messages.ts'
import { formatReason, toStoredReason } from '../platform/lib/stored-reason.ts'
import './api.ts'

const messages = defineMessages('parcel', {
  late: { en: 'The parcel is late: {reason}', ru: 'Посылка опаздывает: {reason}' },
  weather: { en: 'it is {weather}', ru: 'на улице {weather}' },
})

describe('messages', () => {
  it('each message has a Russian text with only the placeholders of the English one', () => {
    const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name)
    expect(messageTemplates.size).to.be.greaterThan(200)
    for (const [id, { en, ru }] of messageTemplates) {
      expect(placeholders(en), id).to.include.members(placeholders(ru))
      expect(ru.replace(/\{\w+\}/g, 'я'), id).to.match(/[а-яё]/i)
    }
  })

  describe('stored reasons', () => {
    const reason = messages.late({ reason: messages.weather({ weather: toBilingualCode('RAIN', { RAIN: 'дождь' }) }) })
    const stored = JSON.parse(JSON.stringify(toStoredReason(reason)))
    const inRussian = (text: string | null, json: unknown) =>
      runInRequestContext({ requestId: '', address: '', language: 'ru' }, () =>
        formatReason(text, json as typeof stored),
      )

    it('a stored reason is shown in the language of the request, by default English', () => {
      expect(inRussian(reason.text, stored)).to.equal('Посылка опаздывает: на улице дождь')
      expect(formatReason(reason.text, stored)).to.equal('The parcel is late: it is RAIN')
      expect(inRussian(null, stored)).to.equal(null)
    })

    it('a stored reason with an unknown id is shown as its stored text', () => {
      const unknown = { ...stored, values: { reason: { id: 'parcel.strike', values: {} } } }
      expect(inRussian(reason.text, null)).to.equal(reason.text)
      expect(inRussian(reason.text, { ...stored, id: 'parcel.lost' })).to.equal(reason.text)
      expect(inRussian(reason.text, unknown)).to.equal(reason.text)
    })

    it('a stored reason is ignored if an earlier release wrote another text', () => {
      expect(inRussian('It stumbled', stored)).to.equal('It stumbled')
    })
  })
})
