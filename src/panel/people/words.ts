import { both, template } from '../frame/words/translation.ts'
import { formEn, formRu } from '../frame/words/grammar.ts'

/** The pages of people: who they are, and what they may do and see. */
export const people = {
  title: both('People', 'Люди'),
  add: both('Add a person', 'Добавить человека'),
  addTitle: both('New person', 'Новый человек'),
  create: both('Add', 'Добавить'),
  search: both('Name or e-mail', 'Имя или почта'),
  total: both(
    (n: number) => formEn(n, 'person', 'people'),
    (n) => formRu(n, 'человек', 'человека', 'человек'),
  ),
  columns: {
    name: both('Name', 'Имя'),
    email: both('E-mail', 'Почта'),
    role: both('Role', 'Роль'),
    departments: both('Departments', 'Отделы'),
    rights: both('May', 'Может'),
    lastLogin: both('Last login', 'Последний вход'),
  },
  you: both('you', 'вы'),
  inactive: both('no access', 'нет доступа'),
  never: both('never', 'ни разу'),
  filters: {
    role: both('Role', 'Роль'),
    anyRole: both('Any role', 'Любая роль'),
    department: both('Department', 'Отдел'),
    anyDepartment: both('Any department', 'Любой отдел'),
    access: both('Access', 'Доступ'),
    any: both('Any access', 'Любой доступ'),
    active: both('With access', 'С доступом'),
    inactive: both('Without access', 'Без доступа'),
  },
  noneTitle: both('Nobody found', 'Никто не найден'),
  none: both('Nobody fits what you look for.', 'Никто не подходит под то, что вы ищете.'),
  all: both('Show everybody', 'Показать всех'),

  name: both('Name', 'Имя'),
  nameHint: both(
    'As it stands in the calls: calls that carry this name are theirs.',
    'Так, как оно стоит в звонках: звонки с этим именем — звонки этого человека.',
  ),
  email: both('E-mail', 'Почта'),
  password: both('Password', 'Пароль'),
  newPassword: both('New password', 'Новый пароль'),
  passwordHint: both(
    'Leave it empty, and the panel makes one. Or at least 8 characters.',
    'Оставьте пустым — панель придумает сама. Или не короче 8 символов.',
  ),
  typeAgain: both('Type the password again: it is not kept.', 'Введите пароль ещё раз: он не сохраняется.'),
  mustChange: both('They choose their own at the next login', 'При следующем входе попросить сменить пароль'),
  generate: both('Make a new password', 'Придумать новый пароль'),
  made: both(
    (name: string) =>
      `The password of ${name} for the first login. It is shown only now: tell it to them yourself; they choose their own then.`,
    (name) => `${name}: пароль для первого входа. Он показан только сейчас: передайте его сами, при входе его сменят.`,
  ),
  copy: both('Copy', 'Скопировать'),
  copied: both('Copied', 'Скопировано'),
  /** Of a name in the list of managers: with how many calls it stands. */
  withCalls: template('{} · {}', '{} · {}'),
  noCalls: template(
    'But no call carries the name “{}” yet: is it spelt as in the calls?',
    'Но звонков с именем «{}» пока нет: так ли оно пишется в звонках?',
  ),
  newPasswordHint: both(
    'Leave it empty to keep the old one. A new one ends their sessions.',
    'Оставьте пустым, чтобы не менять. Новый пароль завершает сеансы этого человека.',
  ),
  role: both('Role', 'Роль'),
  roles: both<Record<string, string>>(
    {
      owner: 'Owner: sees and does everything',
      head: 'Head: sees the calls of their departments, manages the people there',
      manager: 'Manager: sees their own calls',
    },
    {
      owner: 'Владелец: видит и может всё',
      head: 'Руководитель: видит звонки своих отделов и управляет людьми в них',
      manager: 'Менеджер: видит свои звонки',
    },
  ),
  departments: both('Departments', 'Отделы'),
  departmentsHint: both('A manager belongs to one at most.', 'Менеджер — не больше чем в одном.'),
  noDepartments: both('There are no departments yet.', 'Отделов пока нет.'),
  rights: both('Rights', 'Права'),
  rightsHint: both(
    'Usually a head has all of them, a manager only the first. An owner always has all.',
    'Обычно у руководителя все, у менеджера только первое. У владельца всегда все.',
  ),
  /** In the list: who may what at a glance. */
  rightWords: both<Record<string, string>>(
    { audio: 'listen', export: 'export', manageRecordings: 'manage', analytics: 'reports', editRules: 'rules' },
    { audio: 'слушать', export: 'выгружать', manageRecordings: 'управлять', analytics: 'отчёты', editRules: 'правила' },
  ),
  everything: both('everything', 'всё'),
  rightNames: both<Record<string, string>>(
    {
      audio: 'listen and download audio',
      export: 'export transcripts',
      manageRecordings: 'upload, retry, cancel and delete calls',
      analytics: 'see reports',
      editRules: 'change the rules of the call check',
    },
    {
      audio: 'слушать и скачивать аудио',
      export: 'выгружать тексты',
      manageRecordings: 'загружать, повторять, отменять и удалять звонки',
      analytics: 'смотреть отчёты',
      editRules: 'менять правила проверки звонков',
    },
  ),
  language: both('Language', 'Язык'),
  languages: both<Record<string, string>>(
    { '': 'As the browser asks for', en: 'English', ru: 'Русский' },
    { '': 'Как в браузере', en: 'English', ru: 'Русский' },
  ),
  own: both(
    'This is you. Name, role and departments are for somebody else to change; your password is changed in your account.',
    'Это вы. Имя, роль и отделы меняет кто-то другой, пароль — вы сами в своём профиле.',
  ),
  ownOwner: both('This is you. Your password is changed in your account.', 'Это вы. Пароль меняется в вашем профиле.'),
  above: both('An owner: only an owner can change them.', 'Это владелец: изменить может только владелец.'),
  equal: both(
    'They have your role, or a right that you lack: only an owner changes their e-mail, name, password, role, rights and access.',
    'Роль — как у вас, или есть право, которого у вас нет: имя, почту, пароль, роль, права и доступ меняет только владелец.',
  ),

  deactivate: both('End access', 'Закрыть доступ'),
  deactivateSure: template(
    '{} will be logged out at once and cannot log in again. Their calls stay.',
    '{}: сеансы завершатся сразу, войти больше не получится. Звонки останутся.',
  ),
  activate: both('Give access back', 'Вернуть доступ'),
  activateSure: template(
    '{} will be able to log in again, with the same password and rights.',
    '{} снова сможет войти с тем же паролем и правами.',
  ),
  added: template('{} was added and can log in now.', '{}: доступ открыт, можно входить.'),
  saved: both('Saved. It works from their next click on.', 'Сохранено. Действует со следующего нажатия.'),
  /** What is said of a password that was taken all the same. */
  weak: {
    common: both(
      'But this password is one of the most common, guessed first: better choose another.',
      'Но это один из самых частых паролей, его подберут сразу — лучше придумайте другой.',
    ),
    isEmail: both(
      'But the password is the e-mail, easy to guess: better choose another.',
      'Но пароль совпадает с почтой, его легко угадать — лучше придумайте другой.',
    ),
    isName: both(
      'But the password is the name, easy to guess: better choose another.',
      'Но пароль совпадает с именем, его легко угадать — лучше придумайте другой.',
    ),
  },
  deactivated: template('{} has no access any more.', '{}: доступ закрыт.'),
  activated: template('{} can log in again.', '{} снова может войти.'),
}
