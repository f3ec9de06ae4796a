import { Delivery, DeliveryAttempt } from '../calls/callbacks/entity.ts'
import { IngestionFile, IngestionRun } from '../calls/ingestion/entity.ts'
import { FileRemoval, Recording } from '../calls/recordings/entity.ts'
import { Transcript } from '../calls/transcripts/entity.ts'
import { Analysis, FindingRow, Review, Setting } from '../check/checks/entity.ts'
import { RuleSet, RuleSetVersion } from '../check/rule-sets/entity.ts'
import { ApiKey, Session } from '../people/auth/entity.ts'
import { Person } from '../people/people/entity.ts'

/** Every table class of the product. */
export const ENTITIES = [
  Analysis,
  ApiKey,
  Delivery,
  DeliveryAttempt,
  FileRemoval,
  FindingRow,
  IngestionFile,
  IngestionRun,
  Person,
  Recording,
  Review,
  RuleSet,
  RuleSetVersion,
  Session,
  Setting,
  Transcript,
]
