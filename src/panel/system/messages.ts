import { inRussian, type Sayings } from '../frame/words/sayings.ts'

/** What the API warns of. */
export const systemSayings: Sayings = {
  'storage.unmarked': inRussian(
    'Хранилище звука пустое или чужое: в нём нет метки этой базы данных и нет звука известных звонков. Звонки ждут. ' +
      'Подключите нужный том или исправьте настройки хранилища; чтобы работать с этим хранилищем, выполните ' +
      'node dist/svc.js accept-storage.',
  ),
  'storage.occupied': inRussian(
    'В хранилище звука есть файлы, которых нет ни в одном звонке этой базы данных, и нет её метки: возможно, оно ' +
      'принадлежит другой базе. Звонки ждут. Исправьте настройки хранилища или базы данных. Чтобы забрать это хранилище ' +
      'себе, выполните node dist/svc.js accept-storage.',
  ),
  'storage.foreign': inRussian(
    'Хранилище звука принадлежит другой базе данных: в нём её метка. Звонки ждут. Исправьте настройки хранилища или ' +
      'базы данных; чтобы забрать это хранилище себе, выполните node dist/svc.js accept-storage.',
  ),
  'storage.away': inRussian('Хранилище звука не отвечает. Звонки ждут.'),
  'storage.notOurs': inRussian('Хранилище звука — другой базы данных.'),
  'storage.noAnswer': inRussian(({ reason }) => `Хранилище звука не отвечает (${reason}).`),
  'storage.noReason': inRussian('без причины'),
  'storage.late': inRussian(({ seconds }) => `Хранилище звука не отвечает ${seconds} с.`),
  'storage.removed': inRussian('Записанное тем временем исчезло.'),
  'crm.callId': inRussian(({ limit }) => `Текст от 1 до ${limit} символов без управляющих.`),
  'system.demo': inRussian(
    'Это демонстрация: звонки, менеджеры и сделки в ней выдуманы. Удалить их: npm run demo -- remove.',
  ),
  'system.bootstrapPassword': inRussian(
    'BOOTSTRAP_ADMIN_PASSWORD ещё задан. Первый владелец уже есть: уберите эту переменную из окружения.',
  ),
  'system.recognizers': inRussian(
    'Часть серверов распознавания не работает, звонки берут остальные. Какие именно, видно ниже; причина в их журналах.',
  ),
  'system.diskFull': inRussian(
    'На диске хранилища звука нет места: новые записи не сохраняются. Удалите записи или добавьте место.',
  ),
  'system.diskFills': inRussian('На диске хранилища звука мало места. Удалите записи или добавьте место.'),
  'system.redisAway': inRussian('Быстрое хранилище не отвечает: новая работа начинается на секунду позже.'),
  'system.redisForgets': inRussian('Быстрое хранилище ничего не сохраняет на диск: включите его сохранение.'),
  'system.redisDrops': inRussian('Быстрое хранилище может терять записи: задайте maxmemory-policy noeviction.'),
}
