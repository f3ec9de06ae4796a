import { defineMessages } from '../../platform/lib/messages.ts'

export const calibrationMessages = defineMessages('calibrations', {
  noCalibration: { en: 'Calibration not found', ru: 'Калибровка не найдена.' },
  noCall: { en: 'The call is not in the calibration', ru: 'Этого звонка нет в калибровке.' },
  noRule: { en: 'The rule is not in the calibration', ru: 'Этого правила нет в калибровке.' },
  oneChoice: {
    en: 'or random must be given, but not both',
    ru: 'Укажите звонки или случайную выборку, но не то и другое.',
  },
  unknownCalls: {
    en: 'must contain only checked calls that you see',
    ru: 'Выберите только проверенные звонки, которые вам видны.',
  },
  noCalls: {
    en: 'must find a checked call that you see. Change the manager or the period',
    ru: 'Проверенных звонков по этим условиям нет. Измените менеджера или период.',
  },
  people: {
    en: 'must contain two or more owners and heads who can decide verdicts and see all of the calls',
    ru: 'Выберите не меньше двух владельцев и руководителей, которые разбирают вердикты и видят все эти звонки.',
  },
  tooMany: {
    en: 'You can have at most {limit} calibrations. Delete some first',
    ru: 'Можно создать не больше {limit} калибровок. Сначала удалите лишние.',
  },
  submitted: {
    en: 'You have submitted your verdicts, so they can no longer change',
    ru: 'Вы уже сдали вердикты, изменить их нельзя.',
  },
  notJudged: {
    en: 'Give a verdict on every rule of every call first',
    ru: 'Сначала дайте вердикт по каждому правилу каждого звонка.',
  },
  notSubmitted: {
    en: 'You see the results after you have submitted your own verdicts',
    ru: 'Итоги откроются, когда вы сдадите свои вердикты.',
  },
})
