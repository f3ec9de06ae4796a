import { defineMessages } from '../lib/messages.ts'

const ACCEPT = 'node dist/svc.js accept-storage'

/** What is wrong with a storage that is not the one of this database, or does not answer. */
export const storageMessages = defineMessages('storage', {
  unmarked:
    'The audio storage is empty or another one: it has no mark of this database, and the audio of known calls is not there. ' +
    `Calls wait. Mount the right volume or mend the settings of the storage; to go on with this one, run ${ACCEPT}.`,
  occupied:
    'The audio storage has files that no call of this database names, and no mark: it may belong to another database. ' +
    `Calls wait. Correct the settings of the storage or the database. To take this storage over, run ${ACCEPT}.`,
  foreign:
    'The audio storage belongs to another database: it carries the mark of that one. Calls wait. Mend the settings of the ' +
    `storage or the database; to take this storage over, run ${ACCEPT}.`,
  away: 'The audio storage does not answer. Calls wait.',
  notOurs: 'The storage is not the one of this database',
  noAnswer: 'The storage does not answer ({reason})',
  noReason: 'no reason given',
  late: 'The storage does not answer within {seconds} s',
  removed: 'What was written has been removed meanwhile',
})
