import { text, template } from '../frame/words/translation.ts'

export const keyWords = {
  title: text('API keys', 'Ключи API'),
  about: text(
    'Integrations call the API with a key. A key sees the calls of all departments: give each integration its own.',
    'Интеграции обращаются к API с ключом. Ключ видит звонки всех отделов: у каждой интеграции должен быть свой.',
  ),
  name: text('Name', 'Название'),
  nameHint: text('Whose integration it is, for instance CRM.', 'Чья это интеграция, например CRM.'),
  begins: text('Begins with', 'Начало'),
  created: text('Created', 'Создан'),
  lastUsed: text('Last used', 'Последнее обращение'),
  never: text('never', 'не было'),
  create: text('Create key', 'Создать ключ'),
  none: text('There are no keys yet.', 'Ключей пока нет.'),
  revoke: text('Revoke', 'Отозвать'),
  revokeSure: template(
    'Revoke the key “{}”? Its integration stops working at once. This cannot be undone.',
    'Отозвать ключ «{}»? Его интеграция сразу перестанет работать. Отменить это нельзя.',
  ),
  revokeNow: text('Yes, revoke', 'Да, отозвать'),
  revoked: template('The key “{}” is revoked.', 'Ключ «{}» отозван.'),
  gone: text('This key was already revoked.', 'Этот ключ уже отозван.'),
  made: template(
    'The key “{}” is made. Copy it now: it is shown only this once.',
    'Ключ «{}» создан. Скопируйте его сейчас: больше он показан не будет.',
  ),
  label: text('New key', 'Новый ключ'),
  copy: text('Copy', 'Скопировать'),
  copied: text('Copied', 'Скопировано'),
}
