import { text, textTemplate } from '../frame/words/translation.ts'

export const apiKeyWords = {
  title: text('API keys', 'Ключи API'),
  about: text(
    'Integrations use a key to call the API. A key gives access to the calls of all departments. Create one key per integration.',
    'Интеграции обращаются к API с ключом. По ключу доступны звонки всех отделов. Создайте для каждой интеграции свой ключ.',
  ),
  name: text('Name', 'Название'),
  nameHint: text('The integration that uses it, such as CRM', 'Интеграция, например CRM'),
  begins: text('Begins with', 'Начало ключа'),
  created: text('Created', 'Создан'),
  lastUsed: text('Last used', 'Последнее обращение'),
  never: text('never', 'не было'),
  create: text('Create key', 'Создать ключ'),
  none: text('No keys yet.', 'Ключей пока нет.'),
  revoke: text('Revoke', 'Отозвать'),
  revokeSure: textTemplate(
    'Revoke “{}”? The integration that uses it will stop working.',
    'Отозвать ключ «{}»? Интеграция остановится.',
  ),
  revokeNow: text('Revoke key', 'Отозвать ключ'),
  revoked: textTemplate('“{}” revoked.', 'Ключ «{}» отозван.'),
  gone: text('This key has already been revoked.', 'Этот ключ уже отозван.'),
  made: textTemplate(
    '“{}” created. Copy the key now. It will not be shown again.',
    'Ключ «{}» создан. Скопируйте его сейчас, больше он не появится.',
  ),
  label: text('New key', 'Новый ключ'),
  copy: text('Copy', 'Скопировать'),
  copied: text('Copied', 'Скопировано'),
}
