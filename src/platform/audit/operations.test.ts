import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { AUDIT_CHANGE_ACTIONS, type AuditChangeAction } from './actions.ts'

describe('audit declarations of operations', () => {
  it('every changing operation has an audit action', () => {
    const changes: Record<string, AuditChangeAction> = {
      login: 'login',
      logout: 'logout',
      changeMe: 'person.change',
      changeOwnPassword: 'password.change',
      endOwnOtherSessions: 'session.end',
      endOwnSession: 'session.end',
      createApiKey: 'key.create',
      revokeApiKey: 'key.revoke',
      createPerson: 'person.create',
      changePerson: 'person.change',
      deactivatePerson: 'person.deactivate',
      createDepartment: 'department.create',
      changeDepartment: 'department.change',
      deleteDepartment: 'department.delete',
      createRecording: 'recording.create',
      createRecordingFromUrl: 'recording.create',
      createRecordingFromStorage: 'recording.create',
      correctRecording: 'recording.correct',
      retryDelivery: 'recording.callback',
      chooseDeals: 'recording.deals',
      changeAnalysisSettings: 'settings.change',
      changeSearchSynonyms: 'settings.change',
      changeTranscriptionSettings: 'settings.change',
      changeSpeakers: 'recording.speakers',
      separateSpeakers: 'recording.separate',
      createSeparationRun: 'separation.run',
      confirmSeparationRun: 'separation.run-confirm',
      cancelSeparationRun: 'separation.run-cancel',
      rerunAnalysis: 'analysis.rerun',
      judgeFinding: 'analysis.review',
      undoDecision: 'analysis.undo',
      disputeFinding: 'analysis.dispute',
      createAnalysisRun: 'analysis.run',
      confirmAnalysisRun: 'analysis.run-confirm',
      cancelAnalysisRun: 'analysis.run-cancel',
      createBacktest: 'backtest.start',
      cancelBacktest: 'backtest.cancel',
      createRuleSet: 'rules.create',
      changeRuleSet: 'rules.change',
      moveRuleSet: 'rules.move',
      archiveRuleSet: 'rules.archive',
      saveRuleSetDraft: 'rules.draft',
      deleteRuleSetDraft: 'rules.draft-delete',
      publishRuleSetDraft: 'rules.publish',
      restoreRuleSetVersion: 'rules.restore',
      retryRecording: 'recording.retry',
      cancelRecording: 'recording.cancel',
      deleteRecording: 'recording.delete',
      retryFailedRecordings: 'recordings.retry-failed',
      checkCrmConnection: 'crm.check',
      confirmCrmAutomation: 'crm.confirm',
      enableCrmAutomation: 'crm.enable',
      pauseCrmAutomation: 'crm.pause',
      resumeCrmAutomation: 'crm.resume',
      disableCrmAutomation: 'crm.disable',
      runCrmStep: 'crm.step-run',
      resetCrmStep: 'crm.step-reset',
      resetCrm: 'crm.reset',
      determineCrmManagers: 'crm.determine',
      putCrmRoster: 'crm.roster',
      changeCrmWriting: 'crm.writing',
      estimateCrmHistory: 'crm.estimate',
      startCrmLoad: 'crm.load',
      pauseCrmLoad: 'crm.load-pause',
      resumeCrmLoad: 'crm.load-resume',
      cancelCrmLoad: 'crm.load-cancel',
      changeIngestion: 'ingestion.pause',
      pauseQueue: 'queue.pause',
      resumeQueue: 'queue.resume',
      retryFailedJobs: 'queue.retry-failed',
      createBulkAction: 'bulk-action.start',
      cancelBulkAction: 'bulk-action.cancel',
      createComment: 'comment.create',
      changeComment: 'comment.change',
      deleteComment: 'comment.delete',
      createAssignment: 'assignment.create',
      acknowledgeAssignment: 'assignment.acknowledge',
      deleteAssignment: 'assignment.delete',
      createView: 'view.create',
      changeView: 'view.change',
      deleteView: 'view.delete',
      subscribeToView: 'view.subscribe',
      unsubscribeFromView: 'view.unsubscribe',
      createPlaylist: 'playlist.create',
      changePlaylist: 'playlist.change',
      deletePlaylist: 'playlist.delete',
      addPlaylistItem: 'playlist.add',
      removePlaylistItem: 'playlist.remove',
      orderPlaylist: 'playlist.order',
      createCalibration: 'calibration.create',
      judgeCalibrationRule: 'calibration.judge',
      submitCalibration: 'calibration.submit',
      deleteCalibration: 'calibration.delete',
      markNotificationsRead: 'notifications.read',
      changeNotificationSettings: 'notifications.settings',
    }
    const operations = listApiOperations()
    const changing = operations.filter(({ method }) => method !== 'get').map(({ id }) => id)
    // These operations use POST only because of their long input; they change nothing.
    const asking = ['tryRuleSetDraft', 'estimateRuleSetDraft', 'receiveCrmEvent']
    expect(changing).to.have.members([...Object.keys(changes), ...asking])
    expect(operations.find(({ id }) => id === 'tryRuleSetDraft')!.audit).to.equal('rules.try')
    expect(
      Object.values(changes).concat('login.failed', 'login.throttled', 'password.failed', 'ingestion.resume'),
    ).to.include.members([...AUDIT_CHANGE_ACTIONS])
  })

  it('every read has an audit action, except own data, states and figures without calls', () => {
    const silent = listApiOperations().filter(({ method, audit }) => method === 'get' && !audit)
    const expected = `
      healthz readyz docs docsFile docsJson me listOwnSessions
      system readStorageFaults readIngestion readQueue listQueues readTranscriptionSettings
      readAnalysisSettings readSearchSynonyms readAnalysisProvider readRuleSetReach listBacktests readBacktest listAnalysisRuns readAnalysisRun listSeparationRuns readSeparationRun
      countReviews countNotifications readNotificationSettings listViews countView listPlaylists listBulkActions readBulkAction listCalibrations
      readCrmConnection readCrmAutomation readCrmSteps listCrmQuarantine listCrmFunnels readCrmWriting listCrmLoads readCrmLoad`
    expect(silent.map(({ id }) => id)).to.have.members(expected.split(/\s+/).filter(Boolean))
  })

  it('every audited read with {id} declares the type of its object', () => {
    const auditedReads = listApiOperations().filter(({ audit, path }) => audit && path.includes('{id}'))
    expect(auditedReads.map(({ id }) => id)).to.include('readRecording')
    const withoutObject = auditedReads.filter(({ auditObject }) => auditObject === undefined)
    expect(withoutObject.map(({ id }) => id)).to.deep.equal([])
  })
})
