import { defineMessages } from '../../platform/lib/messages.ts'

/** Why a file could not be taken in. */
export const ingestionMessages = defineMessages('ingestion', {
  file: '{file}: {rule}',
  several: '{first}; {rest}',
  notListed: 'The files could not be listed',
  notJson: 'it is not valid JSON',
  tooLarge: 'must not exceed 1 MB',
  broken: 'the service could not register it; the log holds the reason',
})
