import { expect } from 'chai'
import { apiOperations } from '../api.ts'
import { CHANGES, type ChangeAction } from './actions.ts'

describe('what the audit log tells of operations', () => {
  it('of every one: a change has its action, a read of calls its audit', () => {
    const changes: Record<string, ChangeAction> = {
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
      changeSpeakers: 'recording.speakers',
      rerunAnalysis: 'analysis.rerun',
      judgeFinding: 'analysis.review',
      disputeFinding: 'analysis.dispute',
      createAnalysisRun: 'analysis.run',
      confirmAnalysisRun: 'analysis.run-confirm',
      cancelAnalysisRun: 'analysis.run-cancel',
      createBacktest: 'backtest.start',
      cancelBacktest: 'backtest.cancel',
      createRuleSet: 'rules.create',
      changeRuleSet: 'rules.change',
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
    }
    // States, which tell nothing of what was said.
    const states = [
      'system',
      'readSpeakers',
      'listRuleSets',
      'readRuleSet',
      'listRuleSetVersions',
      'readRuleSetVersion',
      'listFailureReasons',
    ]
    const operations = apiOperations()
    const changing = operations.filter(({ method }) => method !== 'get').map(({ id }) => id)
    // Asked by POST because of what they take; nobody changes anything by them.
    const asking = ['tryRuleSetDraft', 'estimateRuleSetDraft', 'receiveCrmEvent']
    expect(changing).to.have.members([...Object.keys(changes), ...asking])
    // Shown to few, and data of calls all the same.
    const shown = operations.filter(({ id }) =>
      [
        'tryRuleSetDraft',
        'listBacktestCalls',
        'previewCrmComment',
        'listModelRequests',
        'listJobs',
        'listReviews',
      ].includes(id),
    )
    expect(shown.filter(({ audit }) => !audit).map(({ id }) => id)).to.deep.equal([])
    const silent = operations.filter(({ method, access, audit }) => method === 'get' && access === 'scoped' && !audit)
    expect(silent.map(({ id }) => id)).to.have.members(states)
    expect(
      Object.values(changes).concat('login.failed', 'login.throttled', 'password.failed', 'ingestion.resume'),
    ).to.include.members([...CHANGES])
  })

  it('one whose read is noted says what its {id} names', () => {
    const noted = apiOperations().filter(({ audit, path }) => audit && path.includes('{id}'))
    expect(noted.map(({ id }) => id)).to.include('readRecording')
    const unsaid = noted.filter(({ auditObject }) => auditObject === undefined)
    expect(unsaid.map(({ id }) => id)).to.deep.equal([])
  })
})
