import { randomUUID } from 'node:crypto'
import { PortalTable, type TestPortalRow } from './table.ts'

/** A deal with the fields of crm.item.list. */
export interface TestPortalDeal extends TestPortalRow {
  id: number
  title: string
  categoryId: number
  stageId: string
  stageSemanticId: 'P' | 'S' | 'F'
  opportunity: number
  currencyId: string
  assignedById: number
  contactId: number
  contactIds: number[]
  companyId: number
  createdTime: string
  updatedTime: string
  movedTime: string
  closed: 'Y' | 'N'
  closedate: string
}

/** A call with the fields of voximplant.statistic.get. */
export interface TestPortalCall extends TestPortalRow {
  ID: string
  PORTAL_USER_ID: string
  PHONE_NUMBER: string
  CALL_ID: string
  CALL_DURATION: string
  CALL_START_DATE: string
  CALL_FAILED_CODE: string
  CRM_ENTITY_TYPE: string | null
  CRM_ENTITY_ID: string | null
  CRM_ACTIVITY_ID: string | null
  RECORD_FILE_ID: number | null
  CALL_TYPE: string
}

interface PortalFile extends TestPortalRow {
  ID: string
  NAME: string
  content: Buffer
  version: number
  updatedAt: string
  isTrashed?: boolean
}

interface Comment extends TestPortalRow {
  ID: string
  ENTITY_ID: string
  ENTITY_TYPE: string
  COMMENT: string
  CREATED: string
  AUTHOR_ID: string
}

/** The fields of a call that a test can set; all have defaults. */
export interface TestPortalCallSeed {
  id?: number
  callId?: string
  userId?: number
  phone?: string
  type?: 1 | 2 | 3 | 4 | 5
  seconds?: number
  failedCode?: string
  startedAt?: number
  contactId?: number
  /** Deals to which the call's activity is bound; null for a call without an activity. */
  dealIds?: number[] | null
  /** The content of the recording, if it exists already. */
  audio?: Buffer
}

/** The data of a test portal. Times in parameters are milliseconds; stored times are texts with the offset +03:00. */
export class PortalData {
  readonly users = new PortalTable('ID')
  readonly departments = new PortalTable('ID')
  readonly funnels = new PortalTable('id', 0)
  readonly stages = new PortalTable('ID')
  readonly deals = new PortalTable<TestPortalDeal>('id')
  readonly stageHistory = new PortalTable('ID')
  readonly contacts = new PortalTable('ID')
  readonly companies = new PortalTable('ID')
  readonly activities = new PortalTable('ID', 5000)
  readonly calls = new PortalTable<TestPortalCall>('ID')
  readonly files = new PortalTable<PortalFile>('ID', 9000)
  readonly comments = new PortalTable<Comment>('ID')
  private readonly now: () => number
  constructor(now: () => number) {
    this.now = now
  }

  time = (at = this.now()): string => new Date(at + 3 * 3600_000).toISOString().slice(0, 19) + '+03:00'

  addUser(name: string, lastName: string, more: TestPortalRow = {}): number {
    const id = Number(more.ID ?? this.users.nextId())
    this.users.add({
      ID: String(id),
      ACTIVE: true,
      NAME: name,
      LAST_NAME: lastName,
      SECOND_NAME: '',
      EMAIL: `${name.toLowerCase()}@example.by`,
      DATE_REGISTER: '2024-07-15T00:00:00+00:00',
      IS_ONLINE: 'N',
      TIMESTAMP_X: {},
      LAST_ACTIVITY_DATE: {},
      PERSONAL_MOBILE: '',
      WORK_PHONE: '',
      WORK_POSITION: 'Sales manager',
      UF_DEPARTMENT: [1],
      UF_PHONE_INNER: String(200 + id),
      USER_TYPE: 'employee',
      ...more,
    })
    return id
  }

  addDepartment(name: string, parent?: number): number {
    const id = this.departments.nextId()
    const parentField = parent === undefined ? {} : { PARENT: String(parent) }
    this.departments.add({ ID: String(id), NAME: name, SORT: 100 * id, ...parentField, UF_HEAD: '0' })
    return id
  }

  /** Adds a funnel with the stages NEW, WON and LOSE. The first funnel gets the id 0, the default funnel. */
  addFunnel(name: string): number {
    const id = this.funnels.nextId()
    this.funnels.add({ id, name, sort: 100 * (id + 1), entityTypeId: 2, isDefault: id === 0 ? 'Y' : 'N' })
    this.addStage(id, 'NEW', 'New', null)
    this.addStage(id, 'WON', 'Won', 'S')
    this.addStage(id, 'LOSE', 'Lost', 'F')
    return id
  }

  addStage(funnel: number, code: string, name: string, semantics: 'S' | 'F' | null): string {
    const id = this.stages.nextId()
    const stageId = funnel === 0 ? code : `C${funnel}:${code}`
    const entity = funnel === 0 ? 'DEAL_STAGE' : `DEAL_STAGE_${funnel}`
    this.stages.add({
      ID: String(id),
      ENTITY_ID: entity,
      STATUS_ID: stageId,
      NAME: name,
      SORT: String(10 * id),
      SEMANTICS: semantics,
    })
    return stageId
  }

  addContact(name: string, phones: string[] = [], company = false): number {
    const table = company ? this.companies : this.contacts
    const id = table.nextId()
    const PHONE = phones.map((VALUE, n) => ({ ID: String(id * 10 + n), VALUE_TYPE: 'WORK', VALUE, TYPE_ID: 'PHONE' }))
    const names = company ? { TITLE: name } : { NAME: name, LAST_NAME: '' }
    table.add({ ID: String(id), ...names, HAS_PHONE: PHONE.length > 0 ? 'Y' : 'N', DATE_MODIFY: this.time(), PHONE })
    return id
  }

  addDeal(title: string, more: Partial<TestPortalDeal> = {}): number {
    const id = more.id ?? this.deals.nextId()
    const categoryId = more.categoryId ?? 0
    const at = this.time()
    const deal: TestPortalDeal = {
      id,
      title,
      categoryId,
      stageId: categoryId === 0 ? 'NEW' : `C${categoryId}:NEW`,
      stageSemanticId: 'P',
      opportunity: 4200,
      currencyId: 'BYN',
      assignedById: 1,
      contactId: 0,
      contactIds: more.contactId ? [more.contactId] : [],
      companyId: 0,
      createdTime: at,
      updatedTime: at,
      movedTime: at,
      closed: 'N',
      closedate: at,
      ...more,
    }
    this.deals.add(deal)
    this.addStageHistory(deal, 1)
    return id
  }

  /** Moves a deal to a stage of any funnel and records it in the stage history. */
  moveDeal(id: number, stageId: string, at = this.now()): void {
    const deal = this.deals.get(id)!
    const stage = this.stages.rows.find(({ STATUS_ID }) => STATUS_ID === stageId)!
    const semantics = (stage.SEMANTICS ?? 'P') as 'P' | 'S' | 'F'
    const time = this.time(at)
    const categoryId = Number(String(stage.ENTITY_ID).split('_')[2] ?? 0)
    const isOther = categoryId !== deal.categoryId
    Object.assign(deal, { categoryId, stageId, stageSemanticId: semantics, movedTime: time, updatedTime: time })
    deal.closed = semantics === 'P' ? 'N' : 'Y'
    if (deal.closed === 'Y') deal.closedate = time
    this.addStageHistory(deal, isOther ? 5 : semantics === 'P' ? 2 : 3, at)
  }

  /** Merges two deals: the target gets the activities and comments of the source, which is removed. */
  mergeDeals(targetId: number, sourceId: number): void {
    for (const activity of this.activities.rows) {
      for (const binding of activity.bindings as ActivityBinding[]) {
        if (binding.entityTypeId === 2 && binding.entityId === sourceId) binding.entityId = targetId
      }
    }
    for (const comment of this.comments.rows)
      if (comment.ENTITY_ID === String(sourceId)) comment.ENTITY_ID = String(targetId)
    this.deals.remove(sourceId)
    this.deals.get(targetId)!.updatedTime = this.time()
  }

  private addStageHistory(deal: TestPortalDeal, type: 1 | 2 | 3 | 5, at = this.now()): void {
    this.stageHistory.add({
      ID: this.stageHistory.nextId(),
      TYPE_ID: type,
      OWNER_ID: deal.id,
      CREATED_TIME: this.time(at),
      CATEGORY_ID: String(deal.categoryId),
      STAGE_SEMANTIC_ID: deal.stageSemanticId,
      STAGE_ID: deal.stageId,
    })
  }

  addCall(seed: TestPortalCallSeed = {}): TestPortalCall {
    const id = seed.id ?? this.calls.nextId()
    const startedAt = seed.startedAt ?? this.now()
    const callId = seed.callId ?? `externalCall.${randomUUID().replaceAll('-', '')}.${Math.floor(startedAt / 1000)}`
    const phone = seed.phone ?? '+375291234567'
    const activity = seed.dealIds === null ? null : this.addActivity(callId, seed.dealIds ?? [], seed.contactId)
    const call: TestPortalCall = {
      ID: String(id),
      PORTAL_USER_ID: String(seed.userId ?? 1),
      PORTAL_NUMBER: 'reg133788',
      PHONE_NUMBER: phone,
      CALL_ID: callId,
      EXTERNAL_CALL_ID: null,
      CALL_CATEGORY: 'external',
      CALL_DURATION: String(seed.seconds ?? 95),
      CALL_START_DATE: this.time(startedAt),
      CALL_RECORD_URL: null,
      CALL_VOTE: null,
      COST: '0.0000',
      COST_CURRENCY: '',
      CALL_FAILED_CODE: seed.failedCode ?? '200',
      CALL_FAILED_REASON: '',
      CRM_ENTITY_TYPE: seed.contactId ? 'CONTACT' : null,
      CRM_ENTITY_ID: seed.contactId ? String(seed.contactId) : null,
      CRM_ACTIVITY_ID: activity,
      REST_APP_ID: '3',
      REST_APP_NAME: 'PBX',
      TRANSCRIPT_ID: null,
      TRANSCRIPT_PENDING: 'N',
      SESSION_ID: null,
      REDIAL_ATTEMPT: null,
      COMMENT: null,
      RECORD_DURATION: null,
      RECORD_FILE_ID: null,
      CALL_TYPE: String(seed.type ?? 2),
    }
    this.calls.add(call)
    if (seed.audio) this.attachFile(call, seed.audio)
    return call
  }

  private addActivity(callId: string, dealIds: number[], contactId?: number): string {
    const ID = String(this.activities.nextId())
    const bindings: ActivityBinding[] = dealIds.map((entityId) => ({ entityTypeId: 2, entityId }))
    if (contactId) bindings.push({ entityTypeId: 3, entityId: contactId })
    const origin = { PROVIDER_ID: 'VOXIMPLANT_CALL', ORIGIN_ID: `VI_${callId}`, DIRECTION: '1' }
    this.activities.add({ ID, ...origin, CREATED: this.time(), bindings })
    return ID
  }

  /** Adds a recording to a call, or replaces its recording. */
  attachFile(call: TestPortalCall, content: Buffer): number {
    const id = this.files.nextId()
    this.files.add({ ID: String(id), NAME: `call-${call.ID}.mp3`, content, version: 1, updatedAt: this.time() })
    call.RECORD_FILE_ID = id
    return id
  }

  removeFile(call: TestPortalCall): void {
    this.files.remove(call.RECORD_FILE_ID!)
    call.RECORD_FILE_ID = null
  }
}

/** The entity of an activity. The type 1 is a lead, 2 a deal, 3 a contact, 4 a company. */
export interface ActivityBinding {
  entityTypeId: number
  entityId: number
}
