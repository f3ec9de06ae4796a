import { defineMessages } from '../lib/messages.ts'

const ACCEPT_COMMAND = 'node dist/svc.js accept-storage'

/** Errors of a storage that belongs to another database or does not respond. */
export const storageMessages = defineMessages('storage', {
  unmarked: {
    en:
      'The audio storage is empty or another one: it has no mark of this database, and the audio of known calls is not there. ' +
      `Calls wait. Mount the right volume or mend the settings of the storage; to go on with this one, run ${ACCEPT_COMMAND}.`,
    ru: 'Хранилище звука пустое или чужое: в нём нет метки этой базы данных и нет звука известных звонков. Звонки ждут. Подключите нужный том или исправьте настройки хранилища; чтобы работать с этим хранилищем, выполните node dist/svc.js accept-storage.',
  },
  occupied: {
    en:
      'The audio storage has files that no call of this database names, and no mark: it may belong to another database. ' +
      `Calls wait. Correct the settings of the storage or the database. To take this storage over, run ${ACCEPT_COMMAND}.`,
    ru: 'В хранилище звука есть файлы, которых нет ни в одном звонке этой базы данных, и нет её метки: возможно, оно принадлежит другой базе. Звонки ждут. Исправьте настройки хранилища или базы данных. Чтобы забрать это хранилище себе, выполните node dist/svc.js accept-storage.',
  },
  foreign: {
    en:
      'The audio storage belongs to another database: it carries the mark of that one. Calls wait. Mend the settings of the ' +
      `storage or the database; to take this storage over, run ${ACCEPT_COMMAND}.`,
    ru: 'Хранилище звука принадлежит другой базе данных: в нём её метка. Звонки ждут. Исправьте настройки хранилища или базы данных; чтобы забрать это хранилище себе, выполните node dist/svc.js accept-storage.',
  },
  away: { en: 'The audio storage does not answer. Calls wait.', ru: 'Хранилище звука не отвечает. Звонки ждут.' },
  notOurs: { en: 'The storage is not the one of this database', ru: 'Хранилище звука — другой базы данных.' },
  noAnswer: { en: 'The storage does not answer ({reason})', ru: 'Хранилище звука не отвечает ({reason}).' },
  noReason: { en: 'no reason given', ru: 'без причины' },
  late: { en: 'The storage does not answer within {seconds} s', ru: 'Хранилище звука не отвечает {seconds} с.' },
  removed: { en: 'What was written has been removed meanwhile', ru: 'Записанное тем временем исчезло.' },
})
