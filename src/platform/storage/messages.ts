import { defineMessages } from '../lib/messages.ts'

const ACCEPT_COMMAND = 'node dist/svc.js accept-storage'

/** Defines the errors of a storage that belongs to another database or does not respond. */
export const storageMessages = defineMessages('storage', {
  unmarked: {
    en:
      'The audio storage is empty or belongs to another database: it has neither the mark of this database nor the recordings of its calls. ' +
      `Calls stay queued. Mount the right volume or correct the settings. To use this storage anyway, run ${ACCEPT_COMMAND}.`,
    ru: 'Хранилище записей пусто или относится к другой базе данных: в нём нет ни метки этой базы данных, ни записей её звонков. Звонки остаются в очереди. Подключите нужный том или исправьте настройки. Чтобы всё же использовать это хранилище, выполните node dist/svc.js accept-storage.',
  },
  occupied: {
    en:
      'The audio storage has no mark and contains files of unknown calls, so it may belong to another database. ' +
      `Calls stay queued. Correct the settings of the storage or the database. To take this storage over, run ${ACCEPT_COMMAND}.`,
    ru: 'В хранилище записей нет метки и есть файлы неизвестных звонков: возможно, оно принадлежит другой базе данных. Звонки остаются в очереди. Исправьте настройки хранилища или базы данных. Чтобы использовать его с этой базой данных, выполните node dist/svc.js accept-storage.',
  },
  foreign: {
    en:
      'The audio storage has the mark of another database. Calls stay queued. Correct the settings of the ' +
      `storage or the database. To take this storage over, run ${ACCEPT_COMMAND}.`,
    ru: 'В хранилище записей метка другой базы данных. Звонки остаются в очереди. Исправьте настройки хранилища или базы данных. Чтобы использовать его с этой базой данных, выполните node dist/svc.js accept-storage.',
  },
  away: {
    en: 'The audio storage is not responding. Calls stay queued.',
    ru: 'Хранилище записей не отвечает. Звонки остаются в очереди.',
  },
  notOurs: {
    en: 'The audio storage belongs to another database',
    ru: 'Хранилище записей принадлежит другой базе данных.',
  },
  noAnswer: { en: 'The audio storage is not responding ({reason})', ru: 'Хранилище записей не отвечает ({reason}).' },
  noReason: { en: 'no reason given', ru: 'причина не указана' },
  late: {
    en: 'The audio storage did not respond within {seconds} s',
    ru: 'Хранилище записей не ответило за {seconds} с.',
  },
  removed: { en: 'The written file has been removed', ru: 'Записанный файл удалён.' },
})
