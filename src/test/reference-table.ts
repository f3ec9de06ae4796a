/**
 * The expected statuses of requests that name an object in a field: an own object, and an unknown or foreign one. A third status is
 * for owners and keys with an unknown object, if it differs.
 * The table is for callers who can use the operation. Each operation of a group accepts each field of the group.
 */
const REFERENCE_TABLE = `
  operations                                                                        fields                own  unknown  owners

  readPerson changePerson deactivatePerson readDepartment changeDepartment          path.id               200  404
  readRecording correctRecording retryRecording cancelRecording readAudio
  readTranscript readPartialText readHistory readNeighbours readWaveform
  playRecording readSpeakers changeSpeakers readSeparation readDeals chooseDeals readAnalysis
  listComments listMentionablePeople
  readRuleSet listRuleSetVersions readRuleSetVersion changeRuleSet
  saveRuleSetDraft publishRuleSetDraft restoreRuleSetVersion tryRuleSetDraft
  moveRuleSet readRuleSetReach
  estimateRuleSetDraft listBacktests readBacktest listBacktestCalls cancelBacktest
  readAnalysisRun confirmAnalysisRun cancelAnalysisRun
  readSeparationRun confirmSeparationRun cancelSeparationRun
  readCrmLoad pauseCrmLoad resumeCrmLoad cancelCrmLoad

  endOwnSession revokeApiKey deleteDepartment deleteRecording archiveRuleSet        path.id               204  404
  deleteRuleSetDraft

  rerunAnalysis separateSpeakers                                                    path.id               202  404

  createBacktest                                                                    path.id               201  404

  judgeFinding                                                                      path.id               200  404
                                                                                    path.findingId

  undoDecision                                                                      path.id               409  404
                                                                                    path.findingId

  disputeFinding                                                                    path.id               201  404
                                                                                    path.findingId

  createComment                                                                     path.id               201  404

  createComment                                                                     body.replyTo          201  400
                                                                                    body.mentions

  changeComment                                                                     path.id               200  404
                                                                                    path.commentId

  changeComment                                                                     body.mentions         200  400

  createAssignment                                                                  body.recordingId      201  404

  createBulkAction                                                                  body.ids              201  201
                                                                                    body.managerName

  createCalibration                                                                 body.recordingIds     201  400
                                                                                    body.participantIds
                                                                                    body.random.manager

  readCalibration readCalibrationResults                                            path.id               200  404

  readCalibrationCall                                                               path.id               200  404
                                                                                    path.callId

  judgeCalibrationRule                                                              path.id               200  404
                                                                                    path.ruleId

  submitCalibration                                                                 path.id               200  404

  deleteCalibration                                                                 path.id               204  404

  acknowledgeAssignment countView changeView readPlaylist changePlaylist            path.id               200  404
  readBulkAction cancelBulkAction

  deleteAssignment deleteView deletePlaylist subscribeToView unsubscribeFromView    path.id               204  404
  orderPlaylist

  orderPlaylist                                                                     body.recordingIds     409  409

  createView createPlaylist                                                         body.departmentId     201  400

  changeView changePlaylist                                                         body.departmentId     200  400

  listPlaylists listAssignments                                                     query.recordingId     200  200

  addPlaylistItem                                                                   path.id               201  404
                                                                                    body.recordingId

  removePlaylistItem                                                                path.id               204  404
                                                                                    path.recordingId

  markNotificationsRead                                                             body.notificationIds  200  200
                                                                                    body.recordingId

  deleteComment                                                                     path.id               204  404
                                                                                    path.commentId

  retryDelivery                                                                     path.id               200  404
                                                                                    path.deliveryId

  listRecordings readRecordingCatalog readRecordingFacets readNeighbours            query.manager         200  200
  listTranscripts exportTranscripts                                                 query.rule
                                                                                    query.department
                                                                                    query.deal

  readExcerpts exportTranscripts listRecordings readRecordingCatalog                query.ids             200  200
  readRecordingFacets readNeighbours

  analyticsSales analyticsRefusals analyticsDeals analyticsCorrelation              query.manager         200  200
                                                                                    query.department
                                                                                    query.funnel

  analyticsQuality analyticsWeekly statsOverview                                    query.manager         200  200
                                                                                    query.department

  analyticsDeals                                                                    query.said            200  200
                                                                                    query.talker

  readCrmReconciliation listReconciledCalls listPeople readHome                     query.department      200  200

  listReconciledCalls                                                               query.manager         200  200

  listReviews countReviews                                                          query.ruleSet         200  200
                                                                                    query.manager
                                                                                    query.department
                                                                                    query.rule

  listReviews                                                                       query.finding         200  200

  listModelRequests                                                                 query.recordingId     200  200

  previewCrmComment                                                                 query.recordingId     200  404

  readAnalysis                                                                      query.set             404  404

  listAudit exportAudit                                                             query.person          200  200
                                                                                    query.object

  createRecording createRecordingFromUrl                                            body.managerName      201  400  201

  correctRecording                                                                  body.managerName      200  400  200

  createRecordingFromStorage                                                        body.storageKey       201  404

  createRecordingFromStorage                                                        body.managerName      201  404  201

  chooseDeals                                                                       body.dealIds          200  400

  createPerson                                                                      body.departments      201  400

  changePerson                                                                      body.departments      200  400

  createDepartment                                                                  body.managers         409  201

  changeDepartment                                                                  body.managers         409  200

  createDepartment                                                                  body.funnels          201  201

  changeDepartment                                                                  body.funnels          200  200

  putCrmRoster                                                                      body.members.userId   200  400
                                                                                    body.members.departmentId

  startCrmLoad                                                                      body.estimateId       201  409

  createRuleSet                                                                     body.copyOf           201  404

  createRuleSet                                                                     body.applies.departmentIds   201  400

  moveRuleSet                                                                       body.beforeId         200  404

  changeRuleSet saveRuleSetDraft                                                    body.applies.departmentIds   200  400

  tryRuleSetDraft                                                                   body.recordingId      200  404

  createAnalysisRun                                                                 body.ruleSetId        201  404
`

/** The expected statuses of a request by the object that it names: an own object, or an unknown or foreign one. */
export interface ExpectedReferenceStatuses {
  own: number
  unknown: number
  /** The status for owners and keys if the object does not exist. */
  owners: number
}

/** Parses the reference table into expected statuses by reference, as formatObjectReference() formats it. */
export function parseReferenceTable(): Map<string, ExpectedReferenceStatuses> {
  const table = new Map<string, ExpectedReferenceStatuses>()
  for (const group of REFERENCE_TABLE.split(/\n\s*\n/).slice(1)) {
    const words = group.split(/\s+/).filter(Boolean)
    const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number)
    const [own, unknown, owners = unknown] = numbers as [number, number, number?]
    const fields = words.filter((word) => word.includes('.'))
    const operations = words.filter((word) => /^[a-z]+$/i.test(word))
    for (const operation of operations)
      for (const field of fields) table.set(`${operation} ${field}`, { own, unknown, owners })
  }
  return table
}
