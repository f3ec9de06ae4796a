import { defineMessages } from '../../platform/lib/messages.ts'

/** Warnings of GET /v1/system about the installation, such as a full disk or demo data. */
export const systemMessages = defineMessages('system', {
  demo: {
    en: 'This is a demo with invented calls, managers and deals. Remove them with npm run demo -- remove.',
    ru: 'Это демо с выдуманными звонками, менеджерами и сделками. Удалить их: npm run demo -- remove.',
  },
  bootstrapPassword: {
    en: 'BOOTSTRAP_ADMIN_PASSWORD is no longer needed. Remove it from the environment.',
    ru: 'Переменная BOOTSTRAP_ADMIN_PASSWORD больше не нужна. Удалите её из окружения.',
  },
  diskFull: {
    en: 'The disk of the audio storage is full: {free} MB free, one call takes up to {call} MB. Delete calls or add space.',
    ru: 'Диск хранилища записей заполнен: свободно {free} МБ, один звонок занимает до {call} МБ. Удалите звонки или добавьте место.',
  },
  diskFills: {
    en: 'The disk of the audio storage is almost full: {free} MB free, one call takes up to {call} MB. Delete calls or add space.',
    ru: 'На диске хранилища записей мало места: свободно {free} МБ, один звонок занимает до {call} МБ. Удалите звонки или добавьте место.',
  },
  recognizers: {
    en: 'Recognizers not working: {names}. The others transcribe their calls.',
    ru: 'Распознаватели не работают: {names}. Их звонки переходят к остальным.',
  },
  redisAway: {
    en: 'Redis is not responding. New jobs start about a second late.',
    ru: 'Redis не отвечает. Новые задания начинаются примерно на секунду позже.',
  },
  redisForgets: {
    en: 'Redis does not save data to disk. Turn on persistence.',
    ru: 'Redis не сохраняет данные на диск. Включите сохранение.',
  },
  redisDrops: {
    en: 'Redis can evict data ({policy}). Set maxmemory-policy to noeviction.',
    ru: 'Redis может терять данные ({policy}). Задайте maxmemory-policy noeviction.',
  },
})
