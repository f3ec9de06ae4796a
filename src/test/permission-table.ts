import type { TestClient, TestResponse } from './client.ts'

/** The callers of the permission table. `head`, `manager` and `bare` are in Sales; `bare` is a manager without rights. */
export const PERMISSION_CALLERS = ['owner', 'key', 'head', 'manager', 'bare', 'nobody'] as const
export type PermissionCaller = (typeof PERMISSION_CALLERS)[number]

/** Whose object a request names: the caller's own, one of Sales or Support, or one that belongs to nobody. */
export type ObjectOwner = 'own' | 'sales' | 'support' | 'nobody'

/**
 * The expected result of each operation by object and caller: a status, or whether the response includes the object (yes, no).
 * The object is a call, a person, a department, a session, or the manager or storage key of a new call. For `key` and `nobody`,
 * an own object belongs to nobody.
 */
const PERMISSION_TABLE = `
  operations                                          object    owner  key  head  manager  bare  nobody

  readRecording readTranscript readAnalysis readDeals own       200    200  200   200      200   401
                                                      sales     200    200  200   404      404   401
                                                      support   200    200  404   404      404   401
                                                      nobody    200    200  404   404      404   401

  readHistory readSpeakers readNeighbours readPartialText own   200    403  200   200      200   401
  readSeparation listComments listMentionablePeople   sales     200    403  200   404      404   401
                                                      support   200    403  404   404      404   401
                                                      nobody    200    403  404   404      404   401

  readWaveform playRecording                          own       200    403  200   200      403   401
                                                      sales     200    403  200   404      403   401
                                                      support   200    403  404   404      403   401
                                                      nobody    200    403  404   404      403   401

  readAudio                                           own       200    200  200   200      403   401
                                                      sales     200    200  200   404      403   401
                                                      support   200    200  404   404      403   401
                                                      nobody    200    200  404   404      403   401

  separateSpeakers                                    own       202    403  202   202      403   401
                                                      sales     202    403  202   404      403   401
                                                      support   202    403  404   404      403   401
                                                      nobody    202    403  404   404      403   401

  correctRecording changeSpeakers retryDelivery       own       200    403  200   200      403   401
                                                      sales     200    403  200   404      403   401
                                                      support   200    403  404   404      403   401
                                                      nobody    200    403  404   404      403   401

  retryRecording cancelRecording                      own       200    200  200   200      403   401
                                                      sales     200    200  200   404      403   401
                                                      support   200    200  404   404      403   401
                                                      nobody    200    200  404   404      403   401

  deleteRecording                                     own       204    204  204   204      403   401
                                                      sales     204    204  204   404      403   401
                                                      support   204    204  404   404      403   401
                                                      nobody    204    204  404   404      403   401

  listRecordings readRecordingCatalog                 own       yes    yes  yes   yes      yes   401
  readRecordingFacets                                 sales     yes    yes  yes   no       no    401
                                                      support   yes    yes  no    no       no    401
                                                      nobody    yes    yes  no    no       no    401

  readExcerpts readSuggestions                        own       yes    403  yes   yes      yes   401
                                                      sales     yes    403  yes   no       no    401
                                                      support   yes    403  no    no       no    401
                                                      nobody    yes    403  no    no       no    401

  listTranscripts exportTranscripts statsOverview     own       yes    yes  yes   yes      403   401
  analyticsQuality analyticsSales analyticsRefusals   sales     yes    yes  yes   no       403   401
  analyticsCorrelation analyticsWeekly                support   yes    yes  no    no       403   401
  retryFailedRecordings                               nobody    yes    yes  no    no       403   401

  analyticsDeals createBulkAction                     own       yes    403  yes   yes      403   401
                                                      sales     yes    403  yes   no       403   401
                                                      support   yes    403  no    no       403   401
                                                      nobody    yes    403  no    no       403   401

  createRecording createRecordingFromUrl              own       201    201  201   201      403   401
                                                      sales     201    201  201   400      403   401
                                                      support   201    201  400   400      403   401
                                                      nobody    201    201  201   201      403   401

  createRecordingFromStorage                          own       409    409  404   404      404   401
                                                      sales     409    409  404   404      404   401
                                                      support   409    409  404   404      404   401
                                                      nobody    201    201  404   404      404   401

  readPerson changePerson                             own       200    403  200   403      403   401
                                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  deactivatePerson                                    own       409    403  403   403      403   401
                                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  listPeople                                          own       yes    403  yes   403      403   401
                                                      sales     yes    403  yes   403      403   401
                                                      support   yes    403  no    403      403   401
                                                      nobody    yes    403  no    403      403   401

  listDepartments                                     sales     yes    403  yes   403      403   401
                                                      support   yes    403  no    403      403   401

  readDepartment                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401

  changeDepartment                                    sales     200    403  403   403      403   401
                                                      support   200    403  403   403      403   401

  deleteDepartment revokeApiKey                       nobody    204    403  403   403      403   401

  endOwnSession                                       own       204    403  204   204      204   401
                                                      sales     404    403  404   404      404   401
                                                      support   404    403  404   404      404   401

  listAudit exportAudit listModelRequests             sales     yes    403  403   403      403   401

  listJobs                                            sales     yes    yes  403   403      403   401

  chooseDeals                                         own       200    403  200   403      403   401
                                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  judgeFinding                                        own       200    403  200   403      403   401
                                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  undoDecision                                        own       200    403  200   403      403   401
                                                      sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  listNotifications listBulkActions                   own       yes    403  yes   yes      yes   401
                                                      sales     no     403  no    no       no    401
                                                      support   no     403  no    no       no    401

  listViews listPlaylists                             own       yes    403  yes   yes      yes   401
                                                      sales     yes    403  yes   yes      yes   401
                                                      support   yes    403  no    no       no    401
                                                      nobody    no     403  no    no       no    401

  createView createPlaylist                           sales     201    403  201   201      201   401
                                                      support   201    403  400   400      400   401

  countView readPlaylist                              own       200    403  200   200      200   401
                                                      sales     200    403  200   200      200   401
                                                      support   200    403  404   404      404   401
                                                      nobody    404    403  404   404      404   401

  changeView changePlaylist                           own       200    403  200   200      200   401
                                                      sales     200    403  200   404      404   401
                                                      support   200    403  404   404      404   401
                                                      nobody    404    403  404   404      404   401

  deleteView deletePlaylist orderPlaylist             own       204    403  204   204      204   401
                                                      sales     204    403  204   404      404   401
                                                      support   204    403  404   404      404   401
                                                      nobody    404    403  404   404      404   401

  subscribeToView unsubscribeFromView                 own       204    403  204   204      204   401
                                                      sales     204    403  204   204      204   401
                                                      support   204    403  404   404      404   401
                                                      nobody    404    403  404   404      404   401

  removePlaylistItem                                  own       204    403  204   204      204   401
                                                      sales     204    403  204   404      404   401
                                                      support   204    403  404   404      404   401
                                                      nobody    204    403  404   404      404   401

  listAssignments                                     own       yes    403  yes   yes      yes   401
                                                      sales     no     403  no    no       no    401
                                                      support   no     403  no    no       no    401

  createAssignment                                    own       409    403  409   403      403   401
                                                      sales     201    403  201   403      403   401
                                                      support   201    403  404   403      403   401
                                                      nobody    409    403  404   403      403   401

  acknowledgeAssignment readBulkAction                own       200    403  200   200      200   401
  cancelBulkAction                                    sales     404    403  404   404      404   401
                                                      support   404    403  404   404      404   401

  deleteAssignment deleteCalibration                  own       204    403  204   403      403   401
                                                      sales     404    403  404   403      403   401
                                                      support   404    403  404   403      403   401

  listCalibrations                                    own       yes    403  yes   403      403   401
                                                      sales     no     403  no    403      403   401
                                                      support   no     403  no    403      403   401

  readCalibration readCalibrationCall                 own       200    403  200   403      403   401
  readCalibrationResults judgeCalibrationRule         sales     404    403  404   403      403   401
  submitCalibration                                   support   404    403  404   403      403   401

  changeComment                                       own       200    403  200   200      200   401
                                                      sales     404    403  404   404      404   401
                                                      support   404    403  404   404      404   401

  deleteComment                                       own       204    403  204   204      204   401
                                                      sales     404    403  404   404      404   401
                                                      support   404    403  404   404      404   401

  disputeFinding createComment addPlaylistItem        own       201    403  201   201      201   401
                                                      sales     201    403  201   404      404   401
                                                      support   201    403  404   404      404   401
                                                      nobody    201    403  404   404      404   401

  listReviews countReviews                            own       yes    403  yes   403      403   401
                                                      sales     yes    403  yes   403      403   401
                                                      support   yes    403  no    403      403   401
                                                      nobody    yes    403  no    403      403   401

  readHome                                            own       no     403  yes   no       no    401
                                                      sales     no     403  yes   no       no    401
                                                      support   no     403  no    no       no    401
                                                      nobody    no     403  no    no       no    401

  createAnalysisRun createSeparationRun               own       yes    403  yes   403      403   401
                                                      sales     yes    403  yes   403      403   401
                                                      support   yes    403  no    403      403   401
                                                      nobody    yes    403  no    403      403   401

  readAnalysisRun confirmAnalysisRun                  own       200    403  200   403      403   401
  cancelAnalysisRun                                   nobody    200    403  404   403      403   401

  readSeparationRun confirmSeparationRun              own       200    403  200   403      403   401
  cancelSeparationRun                                 nobody    200    403  404   403      403   401

  listAnalysisRuns listSeparationRuns                 own       yes    403  yes   403      403   401
                                                      nobody    yes    403  no    403      403   401

  listBacktests                                       sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  403   403      403   401

  createBacktest                                      sales     201    403  201   403      403   401
                                                      support   201    403  404   403      403   401
                                                      nobody    201    403  403   403      403   401

  estimateRuleSetDraft tryRuleSetDraft                sales     200    403  200   403      403   401
  readRuleSetReach moveRuleSet                        support   200    403  404   403      403   401
                                                      nobody    200    403  403   403      403   401

  readBacktest listBacktestCalls cancelBacktest       sales     200    403  200   403      403   401
                                                      support   200    403  404   403      403   401
                                                      nobody    200    403  404   403      403   401

  rerunAnalysis                                       own       202    403  202   403      403   401
                                                      sales     202    403  202   403      403   401
                                                      support   202    403  404   403      403   401
                                                      nobody    202    403  404   403      403   401

  readRuleSet listRuleSetVersions readRuleSetVersion  sales     200    403  200   200      200   401
                                                      support   200    403  404   404      404   401
                                                      nobody    200    403  200   200      200   401

  listRuleSets                                        sales     yes    403  yes   yes      yes   401
                                                      support   yes    403  no    no       no    401
                                                      nobody    yes    403  yes   yes      yes   401

  createPerson createRuleSet createCalibration        sales     201    403  201   403      403   401
                                                      support   201    403  400   403      403   401
                                                      nobody    201    403  400   403      403   401

  changeRuleSet saveRuleSetDraft publishRuleSetDraft  sales     200    403  200   403      403   401
  restoreRuleSetVersion                               support   200    403  404   403      403   401
                                                      nobody    200    403  403   403      403   401

  archiveRuleSet deleteRuleSetDraft                   sales     204    403  204   403      403   401
                                                      support   204    403  404   403      403   401
                                                      nobody    204    403  403   403      403   401
`

/**
 * Operations whose result does not depend on the owner of an object. access.test.ts tests their callers, references.test.ts the
 * objects that they name.
 */
export const OPERATIONS_WITHOUT_OBJECT = `
  healthz readyz docsJson docs docsFile system readStorageFaults readIngestion changeIngestion readQueue listQueues
  pauseQueue resumeQueue retryFailedJobs login logout me changeMe changeOwnPassword listOwnSessions endOwnOtherSessions
  listApiKeys createApiKey createDepartment readAnalysisSettings changeAnalysisSettings
  readTranscriptionSettings changeTranscriptionSettings
  readSearchSynonyms changeSearchSynonyms countNotifications markNotificationsRead readNotificationSettings
  changeNotificationSettings listCalibrationPeople
  readAnalysisProvider receiveCrmEvent
  readCrmConnection checkCrmConnection readCrmAutomation confirmCrmAutomation enableCrmAutomation pauseCrmAutomation
  resumeCrmAutomation disableCrmAutomation readCrmSteps listCrmQuarantine runCrmStep resetCrmStep resetCrm
  determineCrmManagers readCrmRoster putCrmRoster listCrmFunnels readCrmReconciliation listReconciledCalls
  readCrmWriting changeCrmWriting previewCrmComment estimateCrmHistory startCrmLoad listCrmLoads readCrmLoad pauseCrmLoad
  resumeCrmLoad cancelCrmLoad`

/** The expected result for each caller: a status, or yes or no. */
export type ExpectedPermissionStatuses = Record<PermissionCaller, string>
/** Calls an operation as a caller with an object. @returns the response, or yes or no for a list with or without the object */
export type PermissionAttempt = (
  client: TestClient,
  caller: PermissionCaller,
  whose: ObjectOwner,
) => Promise<TestResponse | string>

/** Returns yes or no for a response with or without the object; for an error, its status. */
export const describeResult = (answer: TestResponse, isIn: (answer: TestResponse) => boolean): string =>
  answer.status === 200 ? (isIn(answer) ? 'yes' : 'no') : String(answer.status)

/** Splits a text at white space and omits empty words. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** Parses the permission table into expected results by operation and object owner. */
export function parsePermissionTable(): Map<string, Map<ObjectOwner, ExpectedPermissionStatuses>> {
  const [, ...groups] = PERMISSION_TABLE.split(/\n\s*\n/)
  const table = new Map<string, Map<ObjectOwner, ExpectedPermissionStatuses>>()
  for (const group of groups) {
    const rows = group.trim().split('\n').map(splitWords)
    const lines = rows.map((row): [ObjectOwner, ExpectedPermissionStatuses] => {
      const [whose, ...answers] = row.slice(-PERMISSION_CALLERS.length - 1)
      return [
        whose as ObjectOwner,
        Object.fromEntries(PERMISSION_CALLERS.map((caller, n) => [caller, answers[n]])) as ExpectedPermissionStatuses,
      ]
    })
    for (const id of rows.flatMap((row) => row.slice(0, -PERMISSION_CALLERS.length - 1))) table.set(id, new Map(lines))
  }
  return table
}
