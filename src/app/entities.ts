import { Delivery, DeliveryAttempt } from '../calls/callbacks/entity.ts'
import { IngestionFile, IngestionRun } from '../calls/ingestion/entity.ts'
import { FileRemoval, Recording } from '../calls/recordings/entity.ts'
import { Transcript } from '../calls/transcripts/entity.ts'
import { ApiKey, LoginSession } from '../people/auth/entity.ts'
import { Person } from '../people/people/entity.ts'

/** All entity classes of the database. */
export const DATABASE_ENTITIES = [
  ApiKey,
  Delivery,
  DeliveryAttempt,
  FileRemoval,
  IngestionFile,
  IngestionRun,
  Person,
  Recording,
  LoginSession,
  Transcript,
]
