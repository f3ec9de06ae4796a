import { both, template } from '../frame/words/translation.ts'

/** The keys of integrations. */
export const keys = {
  title: both('API keys', 'Ключи API'),
  about: both(
    'Integrations call the API with a key. A key sees the calls of all departments: give each integration its own.',
    'Интеграции обращаются к API с ключом. Ключ видит звонки всех отделов: у каждой интеграции должен быть свой.',
  ),
  name: both('Name', 'Название'),
  nameHint: both('Whose integration it is, for instance CRM.', 'Чья это интеграция, например CRM.'),
  begins: both('Begins with', 'Начало'),
  created: both('Created', 'Создан'),
  lastUsed: both('Last used', 'Последнее обращение'),
  never: both('never', 'не было'),
  create: both('Create key', 'Создать ключ'),
  none: both('There are no keys yet.', 'Ключей пока нет.'),
  revoke: both('Revoke', 'Отозвать'),
  revokeSure: template(
    'Revoke the key “{}”? Its integration stops working at once. This cannot be undone.',
    'Отозвать ключ «{}»? Его интеграция сразу перестанет работать. Отменить это нельзя.',
  ),
  revokeNow: both('Yes, revoke', 'Да, отозвать'),
  revoked: template('The key “{}” is revoked.', 'Ключ «{}» отозван.'),
  gone: both('This key was already revoked.', 'Этот ключ уже отозван.'),
  made: template(
    'The key “{}” is made. Copy it now: it is shown only this once.',
    'Ключ «{}» создан. Скопируйте его сейчас: больше он показан не будет.',
  ),
  label: both('New key', 'Новый ключ'),
  copy: both('Copy', 'Скопировать'),
  copied: both('Copied', 'Скопировано'),
}
