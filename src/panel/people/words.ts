import { defineWordMap, text, template } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const peopleWords = {
  title: text('People', 'Люди'),
  add: text('Add a person', 'Добавить человека'),
  addTitle: text('New person', 'Новый человек'),
  create: text('Add', 'Добавить'),
  search: text('Name or e-mail', 'Имя или почта'),
  total: pluralTemplate('{person|people}', '{человек|человека|человек}'),
  columns: {
    name: text('Name', 'Имя'),
    email: text('E-mail', 'Почта'),
    role: text('Role', 'Роль'),
    departments: text('Departments', 'Отделы'),
    rights: text('May', 'Может'),
    lastLogin: text('Last login', 'Последний вход'),
  },
  you: text('you', 'вы'),
  inactive: text('no access', 'нет доступа'),
  never: text('never', 'ни разу'),
  filters: {
    role: text('Role', 'Роль'),
    anyRole: text('Any role', 'Любая роль'),
    department: text('Department', 'Отдел'),
    anyDepartment: text('Any department', 'Любой отдел'),
    access: text('Access', 'Доступ'),
    any: text('Any access', 'Любой доступ'),
    active: text('With access', 'С доступом'),
    inactive: text('Without access', 'Без доступа'),
  },
  noneTitle: text('Nobody found', 'Никто не найден'),
  none: text('Nobody fits what you look for.', 'Никто не подходит под то, что вы ищете.'),
  all: text('Show everybody', 'Показать всех'),

  name: text('Name', 'Имя'),
  nameHint: text(
    'As it stands in the calls: calls that carry this name are theirs.',
    'Так, как оно стоит в звонках: звонки с этим именем — звонки этого человека.',
  ),
  email: text('E-mail', 'Почта'),
  password: text('Password', 'Пароль'),
  newPassword: text('New password', 'Новый пароль'),
  passwordHint: text(
    'Leave it empty, and the panel makes one. Or at least 8 characters.',
    'Оставьте пустым — панель придумает сама. Или не короче 8 символов.',
  ),
  typeAgain: text('Type the password again: it is not kept.', 'Введите пароль ещё раз: он не сохраняется.'),
  mustChange: text('They choose their own at the next login', 'При следующем входе попросить сменить пароль'),
  generate: text('Make a new password', 'Придумать новый пароль'),
  made: template(
    'The password of {} for the first login. It is shown only now: tell it to them yourself; they choose their own then.',
    '{}: пароль для первого входа. Он показан только сейчас: передайте его сами, при входе его сменят.',
  ),
  copy: text('Copy', 'Скопировать'),
  copied: text('Copied', 'Скопировано'),
  /** For a name in the list of managers: its number of calls. */
  withCalls: template('{} · {}', '{} · {}'),
  noCalls: template(
    'But no call carries the name “{}” yet: is it spelt as in the calls?',
    'Но звонков с именем «{}» пока нет: так ли оно пишется в звонках?',
  ),
  newPasswordHint: text(
    'Leave it empty to keep the old one. A new one ends their sessions.',
    'Оставьте пустым, чтобы не менять. Новый пароль завершает сеансы этого человека.',
  ),
  role: text('Role', 'Роль'),
  roles: defineWordMap({
    owner: text('Owner: sees and does everything', 'Владелец: видит и может всё'),
    head: text(
      'Head: sees the calls of their departments, manages the people there',
      'Руководитель: видит звонки своих отделов и управляет людьми в них',
    ),
    manager: text('Manager: sees their own calls', 'Менеджер: видит свои звонки'),
  }),
  departments: text('Departments', 'Отделы'),
  departmentsHint: text('A manager belongs to one at most.', 'Менеджер — не больше чем в одном.'),
  selectRoster: template('Select {}: {} is in its roster.', 'Выберите отдел «{}»: {} в списке его менеджеров.'),
  noDepartments: text('There are no departments yet.', 'Отделов пока нет.'),
  rights: text('Rights', 'Права'),
  rightsHint: text(
    'Usually a head has all of them, a manager only the first. An owner always has all.',
    'Обычно у руководителя все, у менеджера только первое. У владельца всегда все.',
  ),
  /** In the list: the rights in short. */
  rightWords: text<Record<string, string>>(
    { audio: 'listen', export: 'export', manageRecordings: 'manage', analytics: 'reports', editRules: 'rules' },
    { audio: 'слушать', export: 'выгружать', manageRecordings: 'управлять', analytics: 'отчёты', editRules: 'правила' },
  ),
  everything: text('everything', 'всё'),
  rightNames: defineWordMap({
    audio: text('listen and download audio', 'слушать и скачивать аудио'),
    export: text('export transcripts', 'выгружать тексты'),
    manageRecordings: text('upload, retry, cancel and delete calls', 'загружать, повторять, отменять и удалять звонки'),
    analytics: text('see reports', 'смотреть отчёты'),
    editRules: text('change the rules of the call check', 'менять правила проверки звонков'),
  }),
  language: text('Language', 'Язык'),
  languages: text<Record<string, string>>(
    { '': 'As the browser asks for', en: 'English', ru: 'Русский' },
    { '': 'Как в браузере', en: 'English', ru: 'Русский' },
  ),
  own: text(
    'This is you. Name, role and departments are for somebody else to change; your password is changed in your account.',
    'Это вы. Имя, роль и отделы меняет кто-то другой, пароль — вы сами в своём профиле.',
  ),
  ownOwner: text('This is you. Your password is changed in your account.', 'Это вы. Пароль меняется в вашем профиле.'),
  above: text('An owner: only an owner can change them.', 'Это владелец: изменить может только владелец.'),
  equal: text(
    'They have your role, or a right that you lack: only an owner changes their e-mail, name, password, role, rights and access.',
    'Роль — как у вас, или есть право, которого у вас нет: имя, почту, пароль, роль, права и доступ меняет только владелец.',
  ),

  deactivate: text('End access', 'Закрыть доступ'),
  deactivateSure: template(
    '{} will be logged out at once and cannot log in again. Their calls stay.',
    '{}: сеансы завершатся сразу, войти больше не получится. Звонки останутся.',
  ),
  activate: text('Give access back', 'Вернуть доступ'),
  activateSure: template(
    '{} will be able to log in again, with the same password and rights.',
    '{} снова сможет войти с тем же паролем и правами.',
  ),
  added: template('{} was added and can log in now.', '{}: доступ открыт, можно входить.'),
  saved: text('Saved. It works from their next click on.', 'Сохранено. Действует со следующего нажатия.'),
  /** Warnings about an accepted but weak password. */
  weak: {
    common: text(
      'But this password is one of the most common, guessed first: better choose another.',
      'Но это один из самых частых паролей, его подберут сразу — лучше придумайте другой.',
    ),
    isEmail: text(
      'But the password is the e-mail, easy to guess: better choose another.',
      'Но пароль совпадает с почтой, его легко угадать — лучше придумайте другой.',
    ),
    isName: text(
      'But the password is the name, easy to guess: better choose another.',
      'Но пароль совпадает с именем, его легко угадать — лучше придумайте другой.',
    ),
  },
  deactivated: template('{} has no access any more.', '{}: доступ закрыт.'),
  activated: template('{} can log in again.', '{} снова может войти.'),
}
