import { defineMessages } from '../../platform/lib/messages.ts'

/** Defines the errors of changes to people. */
export const peopleMessages = defineMessages('people', {
  noPerson: { en: 'Person not found', ru: 'Сотрудник не найден.' },
  emailTaken: { en: 'This e-mail is already in use', ru: 'Эта почта уже занята.' },
  lastOwner: {
    en: 'At least one active owner must remain. Make another person an owner first',
    ru: 'Должен остаться хотя бы один владелец с доступом. Сначала назначьте другого владельца.',
  },
  foreignName: {
    en: 'The name belongs to another person or to calls outside your departments. Only an owner can assign it',
    ru: 'Это имя другого сотрудника или звонков вне ваших отделов. Назначить его может только владелец.',
  },
  namesake: {
    en: 'The department already has a manager with this name',
    ru: 'Менеджер с таким именем уже есть в отделе.',
  },
  roleAbove: { en: 'must not be above your own', ru: 'Роль не может быть выше вашей.' },
  rightLacked: { en: 'is a permission that you lack', ru: 'У вас нет такого права.' },
  ownName: {
    en: 'can only be changed by someone else',
    ru: 'Ваше имя может изменить только другой сотрудник.',
  },
  ownRole: { en: 'can only be changed by someone else', ru: 'Вашу роль может изменить только другой сотрудник.' },
  ownAccess: { en: 'can only be changed by someone else', ru: 'Ваш доступ может закрыть только другой сотрудник.' },
  forOwner: {
    en: 'can only be changed by an owner: this person has your role or a permission that you lack',
    ru: 'Это может изменить только владелец: у сотрудника ваша роль или право, которого у вас нет.',
  },
  ownPassword: { en: 'is your own. Change it at /v1/auth/password', ru: 'Свой пароль меняют в профиле.' },
  ownersRight: { en: 'cannot be taken from an owner', ru: 'Права владельца не меняются.' },
  oneDepartment: {
    en: 'must contain at most one department for a manager',
    ru: 'У менеджера может быть только один отдел.',
  },
  noDepartment: { en: 'must contain at least one of your departments', ru: 'Выберите хотя бы один из своих отделов.' },
  otherDepartment: { en: 'must be one of your departments', ru: 'Выберите из своих отделов.' },
  goneDepartment: { en: 'contains a department that does not exist', ru: 'Одного из отделов уже нет.' },
})
