import { defineMessages } from '../../platform/lib/messages.ts'

/** Errors of changes of people. */
export const peopleMessages = defineMessages('people', {
  noPerson: { en: 'There is no such person', ru: 'Такого человека нет.' },
  emailTaken: { en: 'A person with this e-mail is already there', ru: 'Эта почта уже занята.' },
  lastOwner: {
    en: 'At least one active owner must remain: make somebody else an owner first',
    ru: 'Должен остаться хотя бы один владелец с доступом: сначала назначьте другого.',
  },
  foreignName: {
    en: 'The name belongs to somebody else, or to calls outside your departments: only an owner can give it',
    ru: 'Это имя другого человека или звонков вне ваших отделов: дать его может только владелец.',
  },
  namesake: {
    en: 'A manager of this name is already in the department',
    ru: 'Менеджер с таким именем уже есть в отделе: они видели бы звонки друг друга.',
  },
  roleAbove: { en: 'must not be above your own', ru: 'Роль не может быть выше вашей.' },
  rightLacked: { en: 'is a right that you lack yourself', ru: 'Такого права у вас самих нет.' },
  ownName: {
    en: 'is not yours to change: it tells whose calls you see',
    ru: 'Своё имя меняет кто-то другой: по нему видно, чьи звонки вам доступны.',
  },
  ownRole: { en: 'is not yours to change: it is your own', ru: 'Свою роль меняет кто-то другой.' },
  ownAccess: { en: 'is not yours to change: it is your own access', ru: 'Свой доступ закрывает кто-то другой.' },
  forOwner: {
    en: 'is for an owner to change: they have your role, or a right that you lack',
    ru: 'Это меняет только владелец: роль — как у вас, или есть право, которого у вас нет.',
  },
  ownPassword: { en: 'is your own: change it at /v1/auth/password', ru: 'Свой пароль меняют в профиле.' },
  ownersRight: { en: 'cannot be taken from an owner', ru: 'У владельца прав не отнять.' },
  oneDepartment: { en: 'must be one at most for a manager', ru: 'Для менеджера — не больше одного.' },
  noDepartment: { en: 'must name at least one of yours', ru: 'Выберите хотя бы один из своих.' },
  otherDepartment: { en: 'must be among yours', ru: 'Выберите из своих.' },
  goneDepartment: { en: 'names one that is not there', ru: 'Одного из них уже нет.' },
})
