import { defineMessages } from '../../platform/lib/messages.ts'

/** What an operator should mend. */
export const systemMessages = defineMessages('system', {
  demo: 'This is a demo: its calls, managers and deals are invented. Remove them with npm run demo -- remove.',
  bootstrapPassword: 'BOOTSTRAP_ADMIN_PASSWORD is still set. The first owner is there: remove it from the environment.',
  diskFull:
    'The disk of the audio storage is full: {free} MB are free, and one call may take {call} MB. Delete recordings or give it more room.',
  diskFills:
    'The disk of the audio storage fills: {free} MB are free, and one call may take {call} MB. Delete recordings or give it more room.',
  recognizers: 'Recognizers that do not work: {names}. The others take their calls.',
  redisAway: 'The key-value store does not answer: new work starts about a second later.',
  redisForgets: 'The key-value store keeps nothing on disk: switch on its persistence.',
  redisDrops: 'The key-value store may drop entries ({policy}): set maxmemory-policy to noeviction.',
})
