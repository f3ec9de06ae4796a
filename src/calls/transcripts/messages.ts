import { defineMessages } from '../../platform/lib/messages.ts'

/** Error messages that the API sends about transcripts and exports. */
export const transcriptMessages = defineMessages('transcripts', {
  notReady: { en: 'The transcript is not ready: the call is {status}', ru: 'Расшифровки ещё нет: звонок {status}.' },
  busy: { en: 'Too many exports are running. Try again later', ru: 'Идёт слишком много выгрузок. Повторите позже.' },
})
