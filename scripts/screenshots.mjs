/**
 * node scripts/screenshots.mjs [FOLDER [NAME]]: takes pictures of every page of the panel, or of those with NAME in their names.
 * Each page is taken light, dark, on a phone and in Russian. The first product shows the invented calls of this script. The
 * second shows the company of `npm run demo` to its owner and to a department head. Each runs on free ports in a temporary
 * folder. Also writes the three pictures of the README to docs/.
 */
import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { chromium } from 'playwright-core'
import { generateCalls, computePeaks } from './screenshots/calls.mjs'
import { HEAD_CREDENTIALS, logInToApi, seedCompany } from './screenshots/company.mjs'
import { projectFolder, runOrFail, setUp } from './setup.mjs'

const OWNER_CREDENTIALS = { email: 'olga@example.com', password: 'forty blue umbrellas' }
const THEMES = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  russian: { colorScheme: 'light', viewport: { width: 1440, height: 900 }, locale: 'ru-RU' },
}
/** The pictures of the README. */
const README_PICTURES = ['home-head-light', 'recording-head-light', 'reviews-head-dark']

const outFolder = process.argv[2] ?? join(projectFolder, 'screenshots')
const nameFilter = process.argv[3] ?? ''
mkdirSync(outFolder, { recursive: true })
await setUp({ build: false, tests: true })
await runOrFail(process.execPath, ['build.mjs'])
await captureProduct(seedProduct)
await captureProduct(seedDemo)
for (const name of README_PICTURES.filter((one) => one.includes(nameFilter)))
  writeSmallPicture(join(outFolder, `${name}.png`), join(projectFolder, 'docs', `${name}.png`))

/** Starts a product, fills it with `fill`, and takes the pages that `fill` returns, by the person who opens them. */
async function captureProduct(fill) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shots-'))
  try {
    const product = await startProduct(folder)
    try {
      for (const [credentials, pages] of await fill(product)) await captureAll(product, pages, credentials)
    } finally {
      await product.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes a copy with 128 colours, which has two fifths of the size and no visible difference. */
function writeSmallPicture(from, to) {
  const colours = 'split[a][b];[a]palettegen=max_colors=128:reserve_transparent=0[p];[b][p]paletteuse=dither=none'
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', from, '-vf', colours, '-compression_level', '100', to])
}

/** Runs the product on free ports, with its data in the folder. */
async function startProduct(folder) {
  const [panelPort, apiPort, asrPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
  const ports = { panelPort, apiPort, asrPort, metricsPort: 0 }
  const paths = { audioDir: join(folder, 'audio'), modelsDir: join(folder, 'models') }
  const owner = { BOOTSTRAP_ADMIN_EMAIL: OWNER_CREDENTIALS.email, BOOTSTRAP_ADMIN_PASSWORD: OWNER_CREDENTIALS.password }
  const child = fork(join(projectFolder, 'dist/svc.js'), ['start', '--supervised'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...owner },
  })
  child.once('message', () => child.send({ ...ports, ...paths, ASR_MODEL: 'moonshine-tiny-en' }))
  let text = ''
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => (text += data).includes('Ctrl-C stops everything') && resolve())
    child.once('exit', () => reject(new Error(text)))
  })
  const stop = () => {
    child.removeAllListeners('exit')
    return new Promise((resolve) => child.once('exit', resolve).kill('SIGTERM'))
  }
  return {
    folder,
    stop,
    panel: `http://127.0.0.1:${panelPort}`,
    api: `http://127.0.0.1:${apiPort}`,
    key: /svc_\S+/.exec(text)[0],
  }
}

function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Pauses transcription and uploads the sample. @returns its file in the storage, without a call */
async function storeSample(db, api, key) {
  await db.query(`INSERT INTO paused_queues (name) VALUES ('transcription'), ('callbacks') ON CONFLICT DO NOTHING`)
  const form = new FormData()
  form.append('file', new Blob([readFileSync(join(projectFolder, 'samples/call.wav'))]), 'call.wav')
  const answer = await fetch(`${api}/v1/recordings`, { method: 'POST', body: form, headers: { 'X-API-Key': key } })
  const { id } = await answer.json()
  const { rows } = await db.query('DELETE FROM recordings WHERE id = $1 RETURNING storage_key, size_bytes', [id])
  return rows[0]
}

/** Fills the product; returns the pages of the owner by name. */
async function seedProduct({ folder, api, key }) {
  const db = await connectDatabase(folder)
  const audio = await storeSample(db, api, key)
  const ids = []
  for (const [index, call] of generateCalls(340).entries()) ids.push(await insertCall(db, call, index, audio))
  await insertPeople(db)
  await db.query('SELECT add_up_recording_counts()')
  await checkCalls(db)
  const of = async (status) =>
    (await db.query('SELECT id FROM recordings WHERE status = $1 ORDER BY call_at DESC LIMIT 1', [status])).rows[0].id
  const firstId = async (table) => (await db.query(`SELECT id FROM ${table} ORDER BY name LIMIT 1`)).rows[0].id
  const draft = await createRuleDraft(await logInToApi(api, OWNER_CREDENTIALS))
  const pages = {
    login: '/login',
    home: '/',
    recordings: '/recordings?q=delivery or доставка',
    'recordings-all': '/recordings',
    recording: `/recordings/${ids[0]}?q=delivery`,
    'recording-judging': `/recordings/${ids[0]}?judge=${await findFinding(db, ids[0])}`,
    'recording-running': `/recordings/${await of('PROCESSING')}`,
    'recording-waiting': `/recordings/${await of('QUEUED')}`,
    'recording-failed': `/recordings/${await of('FAILED')}`,
    upload: '/upload',
    queues: '/queues',
    'queue-callbacks': '/queues/callbacks',
    'rule-sets': '/rule-sets',
    'rule-set-new': '/rule-sets/new',
    'rule-set': `/rule-sets/${draft.set}`,
    'rule-set-settings': `/rule-sets/${draft.set}/settings`,
    'rule-set-version': `/rule-sets/${draft.set}/versions/1`,
    'rule-set-draft': `/rule-sets/${draft.set}/draft`,
    'rule-set-rule': `/rule-sets/${draft.set}/draft/rules/${draft.rule}`,
    'rule-set-rule-new': `/rule-sets/${draft.set}/draft/new?kind=said`,
    'rule-set-publish': `/rule-sets/${draft.set}/publish`,
    'backtest-new': `/rule-sets/${draft.set}/backtests`,
    backtest: `/rule-sets/${draft.set}/backtests/${draft.backtest}`,
    reviews: '/reviews',
    calibrations: '/calibrations',
    playlists: '/playlists',
    views: '/views',
    recalculations: '/recalculations',
    recalculation: `/recalculations/${draft.recalculation}`,
    analysis: '/analysis',
    'analysis-requests': '/analysis/requests',
    people: '/people',
    'person-new': '/people/new',
    person: `/people/${await firstId('people')}`,
    departments: '/departments',
    'department-new': '/departments/new',
    department: `/departments/${await firstId('departments')}`,
    search: '/search',
    'api-keys': '/api-keys',
    system: '/system',
    audit: '/audit',
    account: '/account',
    notifications: '/notifications',
    'notification-settings': '/notifications/settings',
    assignments: '/assignments',
    keys: '/keys-help',
    missing: '/recordings/none',
  }
  await db.end()
  return [[OWNER_CREDENTIALS, pages]]
}

/** Fills the product with the company of the demo; returns the pages of the owner and of a department head. */
async function seedDemo({ folder, api, key }) {
  const { host, port, user, password, database } = await readAddress(folder)
  const DATABASE_URL = `postgres://${user}:${password}@${host}:${port}/${database}`
  execFileSync(process.execPath, [join(projectFolder, 'dist/svc.js'), 'demo'], {
    env: { ...process.env, DATABASE_URL },
  })
  const db = await connectDatabase(folder)
  const owner = await logInToApi(api, OWNER_CREDENTIALS)
  const headPages = await seedCompany(db, { api, folder, owner, audio: await storeSample(db, api, key) })
  await db.end()
  const pages = {
    login: '/login',
    'recordings-demo': '/recordings',
    'report-weekly': '/analytics/weekly',
    'report-sheets': '/analytics/weekly/sheets',
    'report-quality': '/analytics/quality',
    'report-sales': '/analytics/sales',
    'report-refusals': '/analytics/refusals',
    'report-correlation': '/analytics/correlation',
    'report-deals': '/analytics/deals',
    'report-load': '/analytics/load',
    'reviews-demo': '/reviews',
    reconciliation: '/reconciliation',
    'reconciliation-calls': '/reconciliation/calls',
    automation: '/automation',
    'automation-steps': '/automation/steps',
    'automation-managers': '/automation/managers',
    'automation-history': '/automation/history',
    'automation-writing': '/automation/writing',
  }
  return [
    [OWNER_CREDENTIALS, pages],
    [HEAD_CREDENTIALS, { login: '/login', ...headPages }],
  ]
}

async function connectDatabase(folder) {
  const client = new pg.Client(await readAddress(folder))
  await client.connect()
  return client
}

async function readAddress(folder) {
  const password = readFileSync(join(folder, 'postgres/password'), 'utf8').trim()
  const port = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[3]
  return { host: '127.0.0.1', port: Number(port), user: 'postgres', password, database: 'postgres' }
}

async function insertCall(db, call, index, { storage_key: storageKey, size_bytes: size }) {
  const running = call.status === 'PROCESSING'
  const failed = call.status === 'FAILED'
  const startedAt = running ? new Date(Date.now() - 12_000) : new Date(call.at.getTime() + 400_000)
  const { rows } = await db.query(
    `INSERT INTO recordings (id, status, source, external_call_id, phone_number, manager_name, direction, call_started_at,
       file_name, storage_key, size_bytes, duration_seconds, error_code, error_message, progress_percent, created_at,
       started_at, finished_at, attempts, lease_until)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
     RETURNING id`,
    [
      call.status, call.source, `call-${4100 + index}`, call.phone, call.manager, call.direction, call.at,
      `call-${4100 + index}.wav`, index === 0 ? storageKey : `${storageKey}-${index}`, size,
      failed || call.status === 'QUEUED' ? null : call.duration,
      failed ? 'UNSUPPORTED_AUDIO' : null, failed ? 'The file holds no audio that can be decoded.' : null,
      running ? 62 : 0, new Date(call.at.getTime() + 300_000),
      call.status === 'QUEUED' ? null : startedAt,
      call.status === 'DONE' || failed ? new Date(startedAt.getTime() + call.duration * 150) : null,
      call.status === 'QUEUED' ? 0 : 1, running ? new Date(Date.now() + 3600_000) : null,
    ],
  ) // prettier-ignore
  const { id } = rows[0]
  if (call.status !== 'DONE') return id
  const text = call.segments.map((segment) => segment.text).join('\n')
  await db.query(
    `INSERT INTO transcripts (recording_id, text, model, decoder, language, segments) VALUES ($1, $2, 't-one', 'beam_search', $3, $4)`,
    [id, text, call.language, JSON.stringify(call.segments)],
  )
  await db.query('INSERT INTO waveforms VALUES ($1, $2, $3)', [id, call.duration, computePeaks(call)])
  return id
}

/** Queues a check of the newest 60 calls and waits until all checks have ended. */
async function checkCalls(db) {
  await db.query(
    `INSERT INTO analyses (id, recording_id, priority) SELECT gen_random_uuid(), id, 5
       FROM recordings WHERE status = 'DONE' ORDER BY call_at DESC LIMIT 60`,
  )
  const waiting = async () => (await db.query(`SELECT FROM analyses WHERE status IN ('QUEUED', 'PROCESSING')`)).rowCount
  while ((await waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 200))
}

/** Creates a draft of the first rule set, a backtest of it, and a recalculation. @returns their ids */
async function createRuleDraft({ get, post, put }) {
  const [{ id: set }] = (await get('/v1/rule-sets')).items
  const { rules } = await get(`/v1/rule-sets/${set}`)
  const question = rules.findIndex(({ kind, any }) => kind === 'asked' && any)
  await put(`/v1/rule-sets/${set}/draft`, { rules: rules.with(question, { ...rules[question], min: 1, weight: 20 }) })
  const period = { from: '2020-01-01', to: '2100-01-01' }
  const { id: backtest } = await post(`/v1/rule-sets/${set}/backtests`, period)
  while ((await get(`/v1/backtests/${backtest}`)).state === 'running')
    await new Promise((resolve) => setTimeout(resolve, 200))
  const { id: recalculation } = await post('/v1/analysis-runs', period)
  return { set, backtest, rule: rules[question].key, recalculation }
}

/** Finds the first missed rule of a call. @returns the id of the finding */
async function findFinding(db, id) {
  const { rows } = await db.query(
    `SELECT f.id FROM findings f JOIN analyses a ON a.id = f.analysis_id
      WHERE a.recording_id = $1 AND f.verdict = 'missed' ORDER BY f.position LIMIT 1`,
    [id],
  )
  return rows[0]?.id
}

async function insertPeople(db) {
  const person = (name, role, rights = {}) =>
    db.query(
      `INSERT INTO people (id, email, name, role, rights, password_hash) VALUES (gen_random_uuid(), $1, $2, $3, $4, 'none') RETURNING id`,
      [`${name.split(' ')[0].toLowerCase()}@example.com`, name, role, rights],
    )
  const all = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
  await db.query(`UPDATE people SET name = 'Olga Ivanova' WHERE role = 'owner'`)
  for (const [department, head, managers] of [
    ['Windows', 'Hanna Novik', ['Anna Kovaleva', 'Daria Orlova']],
    ['Doors', 'Otto Berg', ['Ivan Sidorov', 'Max Petrov']],
  ]) {
    const { rows } = await db.query('INSERT INTO departments (id, name) VALUES (gen_random_uuid(), $1) RETURNING id', [
      department,
    ])
    const belong = (id) => db.query('INSERT INTO person_departments VALUES ($1, $2)', [id, rows[0].id])
    await belong((await person(head, 'head', all)).rows[0].id)
    for (const name of managers) {
      await belong((await person(name, 'manager', { audio: true })).rows[0].id)
      await db.query('INSERT INTO department_managers (name, department_id) VALUES ($1, $2)', [name, rows[0].id])
    }
  }
}

/** Takes every page in every look. */
async function captureAll({ panel }, pages, credentials) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--force-color-profile=srgb'],
  })
  for (const [look, options] of Object.entries(THEMES)) {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Moscow', ...options })
    const page = await context.newPage()
    for (const [name, address] of Object.entries(pages)) {
      if (name !== 'login' && !name.includes(nameFilter)) continue
      await page.goto(panel + address)
      await page.waitForTimeout(250) // until then, the player has read the length of the audio
      await page.screenshot({ path: join(outFolder, `${name}-${look}.png`), fullPage: look === 'phone' })
      if (name === 'login') await logIn(page, credentials)
    }
    await context.close()
  }
  await browser.close()
}

async function logIn(page, { email, password }) {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('form button.primary')
  await page.waitForURL((url) => url.pathname !== '/login')
}
