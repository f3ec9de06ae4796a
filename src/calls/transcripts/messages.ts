import { defineMessages } from '../../platform/lib/messages.ts'

/** Errors of transcripts and exports. */
export const transcriptMessages = defineMessages('transcripts', {
  notReady: { en: 'The transcript is not ready: the recording is {status}', ru: 'Текста ещё нет: {status}.' },
  busy: { en: 'Too many exports run at once. Try again', ru: 'Сейчас идёт слишком много выгрузок. Повторите позже.' },
})
