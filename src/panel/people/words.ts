import { defineWordMap, text, textTemplate } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const peopleWords = {
  title: text('People', 'Сотрудники'),
  add: text('Add person', 'Добавить сотрудника'),
  addTitle: text('New person', 'Новый сотрудник'),
  create: text('Add', 'Добавить'),
  search: text('Name or e-mail', 'Имя или почта'),
  total: pluralTemplate('{person|people}', '{сотрудник|сотрудника|сотрудников}'),
  columns: {
    name: text('Name', 'Имя'),
    email: text('E-mail', 'Почта'),
    role: text('Role', 'Роль'),
    departments: text('Departments', 'Отделы'),
    rights: text('Permissions', 'Права'),
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
  noneTitle: text('Nobody found', 'Сотрудники не найдены'),
  none: text('Change the search or the filters.', 'Измените запрос или фильтры.'),
  all: text('Show everyone', 'Показать всех'),

  name: text('Name', 'Имя'),
  nameHint: text(
    'As in the calls. This person sees calls with this name.',
    'Как в звонках: сотрудник видит звонки с этим именем.',
  ),
  email: text('E-mail', 'Почта'),
  password: text('Password', 'Пароль'),
  newPassword: text('New password', 'Новый пароль'),
  passwordHint: text('At least 8 characters, or empty to generate one', 'От 8 символов. Пусто — создадим сами.'),
  typeAgain: text(
    'Enter the password again. It is not stored in the form.',
    'Введите пароль снова: форма его не сохраняет.',
  ),
  mustChange: text('Require a new password at next login', 'Потребовать новый пароль при входе'),
  generate: text('Generate a password', 'Создать пароль'),
  made: textTemplate(
    'Temporary password for {}. Pass it on now. It will not be shown again.',
    '{}: временный пароль. Передайте его сейчас, больше он не появится.',
  ),
  copy: text('Copy', 'Скопировать'),
  copied: text('Copied', 'Скопировано'),
  /** A suggested name with its department or number of calls. */
  withCalls: textTemplate('{} · {}', '{} · {}'),
  noCalls: textTemplate(
    'No calls have the name “{}” yet. Check the spelling.',
    'Звонков с именем «{}» пока нет. Проверьте имя.',
  ),
  newPasswordHint: text(
    'Leave empty to keep the current one. A new password ends this person’s sessions.',
    'Пусто — не менять. Новый пароль завершит сеансы сотрудника.',
  ),
  role: text('Role', 'Роль'),
  roles: defineWordMap({
    owner: text('Owner: can see and do everything', 'Владелец: видит и может всё'),
    head: text(
      'Department head: sees the calls of their departments and manages people there',
      'Руководитель: видит звонки своих отделов и управляет сотрудниками',
    ),
    manager: text('Manager: sees their own calls', 'Менеджер: видит свои звонки'),
  }),
  departments: text('Departments', 'Отделы'),
  departmentsHint: text('At most one for a manager.', 'У менеджера может быть только один отдел.'),
  selectRoster: textTemplate(
    'Select {}: {} is in its roster.',
    'Выберите отдел «{}»: {} есть в списке его менеджеров.',
  ),
  noDepartments: text('No departments yet.', 'Отделов пока нет.'),
  rights: text('Permissions', 'Права'),
  rightsHint: text(
    'By default, department heads have all permissions and managers only the first. Owners always have all.',
    'По умолчанию у руководителя все права, у менеджера — только первое. У владельца всегда все права.',
  ),
  rightWords: text<Record<string, string>>(
    { audio: 'listen', export: 'export', manageRecordings: 'manage', analytics: 'reports', editRules: 'rules' },
    { audio: 'слушать', export: 'выгружать', manageRecordings: 'управлять', analytics: 'отчёты', editRules: 'правила' },
  ),
  everything: text('everything', 'всё'),
  rightNames: defineWordMap({
    audio: text('listen to and download recordings', 'слушать и скачивать записи'),
    export: text('export transcripts', 'выгружать расшифровки'),
    manageRecordings: text('upload, retry, cancel and delete calls', 'загружать, повторять, отменять и удалять звонки'),
    analytics: text('see reports', 'смотреть отчёты'),
    editRules: text('edit the rules of the call check', 'менять правила проверки звонков'),
  }),
  language: text('Language', 'Язык'),
  languages: text<Record<string, string>>(
    { '': 'Browser language', en: 'English', ru: 'Русский' },
    { '': 'Как в браузере', en: 'English', ru: 'Русский' },
  ),
  own: text(
    'This is you. Only someone else can change your name, role and departments. Change your password in your account.',
    'Это вы. Ваши имя, роль и отделы может изменить другой сотрудник. Пароль меняется в профиле.',
  ),
  ownOwner: text('This is you. Change your password in your account.', 'Это вы. Пароль меняется в профиле.'),
  above: text('Only an owner can change an owner.', 'Изменить владельца может только владелец.'),
  equal: text(
    'This person has your role or a permission that you lack. Only an owner can edit this person.',
    'У сотрудника ваша роль или право, которого у вас нет. Изменить такого сотрудника может только владелец.',
  ),

  deactivate: text('Deactivate', 'Закрыть доступ'),
  deactivateSure: textTemplate('Deactivate {}? Their calls stay.', 'Закрыть доступ: {}? Звонки останутся.'),
  activate: text('Reactivate', 'Вернуть доступ'),
  activateSure: textTemplate(
    'Reactivate {}? The password and permissions stay the same.',
    'Вернуть доступ: {}? Пароль и права останутся прежними.',
  ),
  added: textTemplate('{} added. They can log in now.', '{}: доступ открыт.'),
  saved: text('Saved.', 'Сохранено.'),
  /** Warnings about a password that the API accepted although it is weak. */
  weak: {
    common: text(
      'This password is among the most common. Choose another.',
      'Это один из самых частых паролей. Придумайте другой.',
    ),
    isEmail: text(
      'The password is the same as the e-mail. Choose another.',
      'Пароль совпадает с почтой. Придумайте другой.',
    ),
    isName: text(
      'The password is the same as the name. Choose another.',
      'Пароль совпадает с именем. Придумайте другой.',
    ),
  },
  deactivated: textTemplate('{} deactivated.', '{}: доступ закрыт.'),
  activated: textTemplate('{} reactivated.', '{}: доступ открыт.'),
}
