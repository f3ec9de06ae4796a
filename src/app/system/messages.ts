import { defineMessages } from '../../platform/lib/messages.ts'

/** Warnings for the operator. */
export const systemMessages = defineMessages('system', {
  demo: {
    en: 'This is a demo: its calls, managers and deals are invented. Remove them with npm run demo -- remove.',
    ru: 'Это демонстрация: звонки, менеджеры и сделки в ней выдуманы. Удалить их: npm run demo -- remove.',
  },
  bootstrapPassword: {
    en: 'BOOTSTRAP_ADMIN_PASSWORD is still set. The first owner is there: remove it from the environment.',
    ru: 'BOOTSTRAP_ADMIN_PASSWORD ещё задан. Первый владелец уже есть: уберите эту переменную из окружения.',
  },
  diskFull: {
    en: 'The disk of the audio storage is full: {free} MB are free, and one call may take {call} MB. Delete recordings or give it more room.',
    ru: 'На диске хранилища звука нет места: свободно {free} МБ, а один звонок может занять {call} МБ. Удалите записи или добавьте место.',
  },
  diskFills: {
    en: 'The disk of the audio storage fills: {free} MB are free, and one call may take {call} MB. Delete recordings or give it more room.',
    ru: 'На диске хранилища звука мало места: свободно {free} МБ, а один звонок может занять {call} МБ. Удалите записи или добавьте место.',
  },
  recognizers: {
    en: 'Recognizers that do not work: {names}. The others take their calls.',
    ru: 'Не работают серверы распознавания: {names}. Звонки берут остальные.',
  },
  redisAway: {
    en: 'The key-value store does not answer: new work starts about a second later.',
    ru: 'Быстрое хранилище не отвечает: новая работа начинается на секунду позже.',
  },
  redisForgets: {
    en: 'The key-value store keeps nothing on disk: switch on its persistence.',
    ru: 'Быстрое хранилище ничего не сохраняет на диск: включите его сохранение.',
  },
  redisDrops: {
    en: 'The key-value store may drop entries ({policy}): set maxmemory-policy to noeviction.',
    ru: 'Быстрое хранилище может терять записи ({policy}): задайте maxmemory-policy noeviction.',
  },
})
