const cardinal = new Intl.PluralRules('en')
const ordinal = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

const count = (n: number, shown: string, one: string, other: string): string =>
  `${shown} ${cardinal.select(n) === 'one' ? one : other}`

/** About how long, in words. */
function about(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`
}

/** Every word of the panel in English; the other languages have the same shape. */
export const en = {
  product: 'Calls',
  skip: 'Skip to the content',
  menu: 'Menu',
  mainMenu: 'Main',
  recordings: 'Recordings',
  logOut: 'Log out',
  roles: { owner: 'owner', head: 'head', manager: 'manager' } as Record<string, string>,
  stale: 'No connection to the service: this page may be out of date. It tries again by itself.',

  login: {
    title: 'Log in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Log in',
    wrong: 'The e-mail or the password is wrong.',
    missing: 'Enter your e-mail and your password.',
    throttled: (seconds: number, shown: string) =>
      `Too many failed logins. Try again in ${count(seconds, shown, 'second', 'seconds')}.`,
    down: 'The service does not answer. Try again in a moment.',
    insecure:
      'The browser drops the session cookie, because this page came over plain HTTP. Open the panel over HTTPS, ' +
      'or set COOKIE_SECURE=false.',
  },

  status: { QUEUED: 'queued', PROCESSING: 'running', DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
  percent: (shown: string) => `${shown} %`,
  place: (n: number) => (n === 1 ? 'next in the queue' : `${n}${ENDINGS[ordinal.select(n)] ?? 'th'} in the queue`),
  left: (seconds: number) => `${about(seconds)} left`,
  transcribing: 'being transcribed',
  direction: { INBOUND: 'incoming', OUTBOUND: 'outgoing' },
  decoder: { greedy: 'greedy', beam_search: 'beam search' } as Record<string, string>,
  source: { upload: 'upload', url: 'link', storage: 'storage', inbox: 'inbox', crm: 'CRM' },
  audioErrors: {
    AUDIO_MISSING: 'The sound is not in the storage any more.',
    UNSUPPORTED_AUDIO: 'The file holds no sound that can be read.',
    AUDIO_TOO_LONG: 'The recording is longer than 3 hours.',
  },
  failedUnknown: 'The transcription failed.',

  list: {
    total: (n: number): string => (cardinal.select(n) === 'one' ? 'call' : 'calls'),
    columns: {
      time: 'Call',
      direction: 'Direction',
      phone: 'Phone',
      manager: 'Manager',
      length: 'Length',
      status: 'Status',
      note: 'Details',
    },
    newestFirst: 'newest first',
    oldestFirst: 'oldest first',
    pageSize: (shown: string) => `${shown} a page`,
    range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    pages: 'Pages',
    page: (shown: string) => `Page ${shown}`,
    previous: 'Previous page',
    next: 'Next page',
    pastEnd: 'There is no such page.',
    toStart: 'To the first page',
    emptyTitle: 'No recordings yet',
    empty:
      'Here will stand every call that was submitted, with its state and, once it is done, its text. ' +
      'Submit the first one with an API key; this page shows it by itself.',
  },

  call: {
    title: 'Call',
    with: 'with',
    sound: 'Sound',
    cannotPlay: 'This browser cannot play this sound format. Download it to listen.',
    download: 'Download',
    downloadSound: 'Sound',
    formats: { txt: 'Text', srt: 'Subtitles SRT', vtt: 'Subtitles VTT', json: 'JSON' },
    retry: 'Retry',
    cancel: 'Cancel',
    delete: 'Delete',
    deleteSure: 'Delete this recording with its sound and its text? This cannot be undone.',
    deleteNow: 'Delete for good',
    conflict: 'This was not possible: the recording’s state has changed in the meantime. You see it as it is now.',
    transcript: 'Transcript',
    noSpeech: 'No speech was found in this recording.',
    channel: 'Channel',
    playFrom: (time: string) => `Play from ${time}`,
    waits: 'The text appears here once the call is transcribed.',
    cancelled: 'The transcription was cancelled. Retry puts the call back into the queue.',
    failedAdvice: 'Retry puts the call back into the queue.',
    failedForGood: 'A retry rarely helps here: submit the call again with another file.',
    details: 'Details',
    detail: {
      direction: 'Direction',
      department: 'Department',
      callId: 'Call id',
      source: 'Source',
      file: 'File',
      size: 'Size',
      length: 'Length',
      model: 'Model',
      decoder: 'Decoder',
      language: 'Language',
      priority: 'Priority',
      attempts: 'Attempts',
      error: 'Error',
      callback: 'Callback',
    },
    history: 'History',
    received: 'received',
    started: (attempt: number) => `attempt ${attempt} began`,
    finished: { DONE: 'done', FAILED: 'failed', CANCELLED: 'cancelled' },
    took: (length: string) => `in ${length}`,
    seconds: (shown: string) => `${shown} s`,
  },

  errors: {
    400: ['Not understood', 'This request cannot be understood. Go back and try again.'],
    404: ['Not found', 'This page or recording does not exist, or it is outside your access.'],
    403: ['Not allowed', 'Your role does not allow this. Ask the owner if you need it.'],
    405: ['Not possible', 'This address does not take such a request.'],
    409: ['Not possible now', 'The recording’s state does not allow this now.'],
    413: ['Too large', 'The form is larger than this page takes.'],
    429: ['Too many attempts', 'Wait a moment, then try again.'],
    500: ['Something went wrong', 'It is our fault, not yours. Try again; the log holds the reason under this number:'],
    503: [
      'The service does not answer',
      'The pages are here, but the API behind them does not answer. Try again soon.',
    ],
  } as Record<number, [title: string, advice: string]>,
  foreign: 'The request came from a foreign page, so nothing was done. Open the panel and try there.',
  waitSeconds: (seconds: number, shown: string) => `Try again in ${count(seconds, shown, 'second', 'seconds')}.`,
  tryAgain: 'Try again',
  toRecordings: 'To the recordings',
}
