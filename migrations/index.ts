import { FirstSchema1763600000000 } from './1763600000000-first-schema.ts'
import { Queues1763700000000 } from './1763700000000-queues.ts'
import { Ingestion1763750000000 } from './1763750000000-ingestion.ts'
import { Search1763810000000 } from './1763810000000-search.ts'
import { Evidence1763860000000 } from './1763860000000-evidence.ts'
import { Audit1763865000000 } from './1763865000000-audit.ts'
import { QueuePlaces1763955000000 } from './1763955000000-queue-places.ts'
import { People1763960000000 } from './1763960000000-people.ts'
import { CleanNames1763970000000 } from './1763970000000-clean-names.ts'
import { AuditSessions1763975000000 } from './1763975000000-audit-sessions.ts'
import { RepairDrift1795304658832 } from './1795304658832-repair-drift.ts'
import { FindCalls1795305882000 } from './1795305882000-find-calls.ts'
import { ReadyOrder1795305883257 } from './1795305883257-ready-order.ts'
import { Speakers1795306097421 } from './1795306097421-speakers.ts'
import { PlayableCopies1795306528952 } from './1795306528952-playable-copies.ts'
import { StorageOwner1795306546523 } from './1795306546523-storage-owner.ts'
import { MustChangePassword1795310158077 } from './1795310158077-must-change-password.ts'
import { CallCheck1795328405894 } from './1795328405894-call-check.ts'
import { Managers1795328928578 } from './1795328928578-managers.ts'
import { ManagersOfCalls1795328929354 } from './1795328929354-managers-of-calls.ts'
import { RecognizerDeaths1795329446255 } from './1795329446255-recognizer-deaths.ts'
import { WordTimes1795330927235 } from './1795330927235-word-times.ts'
import { Crm1795345253492 } from './1795345253492-crm.ts'
import { RuleCounts1795345952824 } from './1795345952824-rule-counts.ts'
import { PartialTexts1795346625127 } from './1795346625127-partial-texts.ts'
import { FailureReasons1795347457747 } from './1795347457747-failure-reasons.ts'
import { LabelFindings1795347823156 } from './1795347823156-label-findings.ts'
import { WeeklyReports1795351849093 } from './1795351849093-weekly-reports.ts'
import { CallsOfDeals1795365871870 } from './1795365871870-calls-of-deals.ts'
import { CrmFollowUps1795368076676 } from './1795368076676-crm-follow-ups.ts'
import { ModelReplies1795368200001 } from './1795368200001-model-replies.ts'
import { BacktestJobs1795368200002 } from './1795368200002-backtest-jobs.ts'
import { RecordingsStates1795369976676 } from './1795369976676-recordings-states.ts'
import { ChangedChecks1795376528629 } from './1795376528629-changed-checks.ts'
import { CrmLateDeals1795376528630 } from './1795376528630-crm-late-deals.ts'
import { IdsByTime1795376840630 } from './1795376840630-ids-by-time.ts'
import { CallsByDeal1795389533654 } from './1795389533654-calls-by-deal.ts'
import { RecordingsEnded1795389534949 } from './1795389534949-recordings-ended.ts'
import { NumberTextsAtCommit1795399545923 } from './1795399545923-number-texts-at-commit.ts'
import { OneLockEach1795404006908 } from './1795404006908-one-lock-each.ts'
import { CheckAndPauses1795791877066 } from './1795791877066-check-and-pauses.ts'
import { RunChecks1795791879000 } from './1795791879000-run-checks.ts'
import { ReportsDefinitions1795791886388 } from './1795791886388-reports-definitions.ts'
import { OneManagerEach1795792198701 } from './1795792198701-one-manager-each.ts'
import { CallsOfOneManager1795792199564 } from './1795792199564-calls-of-one-manager.ts'
import { CrmQuarantine1795792223296 } from './1795792223296-crm-quarantine.ts'
import { OutdatedChecks1795794712454 } from './1795794712454-outdated-checks.ts'
import { MessagesAsJson1795803429227 } from './1795803429227-messages-as-json.ts'
import { SearchTerms1795814928313 } from './1795814928313-search-terms.ts'
import { SearchTermIndexes1795820393257 } from './1795820393257-search-term-indexes.ts'
import { AuditActions1795828547573 } from './1795828547573-audit-actions.ts'
import { AudioHash1795829110164 } from './1795829110164-audio-hash.ts'
import { RecordingsByScore1795829244124 } from './1795829244124-recordings-by-score.ts'
import { VoiceSpeakers1795838607413 } from './1795838607413-voice-speakers.ts'
import { RecordingsByPhoneAndManager1795842431422 } from './1795842431422-recordings-by-phone-and-manager.ts'
import { WorkingTogether1795849829343 } from './1795849829343-working-together.ts'
import { AssignmentRules1795860790417 } from './1795860790417-assignment-rules.ts'
import { BulkActions1795860801509 } from './1795860801509-bulk-actions.ts'
import { EmailNotifications1795860859542 } from './1795860859542-email-notifications.ts'
import { ViewSubscriptions1795864026309 } from './1795864026309-view-subscriptions.ts'
import { Calibrations1795864195107 } from './1795864195107-calibrations.ts'
import { AuditActionsInOrder1795873361626 } from './1795873361626-audit-actions-in-order.ts'

/** Every migration in order; typeorm keeps what was applied in schema_migrations. */
export const migrations = [
  FirstSchema1763600000000,
  Queues1763700000000,
  Ingestion1763750000000,
  Search1763810000000,
  Evidence1763860000000,
  Audit1763865000000,
  QueuePlaces1763955000000,
  People1763960000000,
  CleanNames1763970000000,
  AuditSessions1763975000000,
  RepairDrift1795304658832,
  FindCalls1795305882000,
  ReadyOrder1795305883257,
  Speakers1795306097421,
  PlayableCopies1795306528952,
  StorageOwner1795306546523,
  MustChangePassword1795310158077,
  CallCheck1795328405894,
  Managers1795328928578,
  ManagersOfCalls1795328929354,
  RecognizerDeaths1795329446255,
  WordTimes1795330927235,
  Crm1795345253492,
  RuleCounts1795345952824,
  PartialTexts1795346625127,
  FailureReasons1795347457747,
  LabelFindings1795347823156,
  WeeklyReports1795351849093,
  CallsOfDeals1795365871870,
  CrmFollowUps1795368076676,
  ModelReplies1795368200001,
  BacktestJobs1795368200002,
  RecordingsStates1795369976676,
  ChangedChecks1795376528629,
  CrmLateDeals1795376528630,
  IdsByTime1795376840630,
  CallsByDeal1795389533654,
  RecordingsEnded1795389534949,
  NumberTextsAtCommit1795399545923,
  OneLockEach1795404006908,
  CheckAndPauses1795791877066,
  RunChecks1795791879000,
  ReportsDefinitions1795791886388,
  OneManagerEach1795792198701,
  CallsOfOneManager1795792199564,
  CrmQuarantine1795792223296,
  OutdatedChecks1795794712454,
  MessagesAsJson1795803429227,
  SearchTerms1795814928313,
  SearchTermIndexes1795820393257,
  AuditActions1795828547573,
  AudioHash1795829110164,
  RecordingsByScore1795829244124,
  VoiceSpeakers1795838607413,
  RecordingsByPhoneAndManager1795842431422,
  WorkingTogether1795849829343,
  AssignmentRules1795860790417,
  BulkActions1795860801509,
  EmailNotifications1795860859542,
  ViewSubscriptions1795864026309,
  Calibrations1795864195107,
  AuditActionsInOrder1795873361626,
]
