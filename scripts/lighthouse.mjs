/**
 * node scripts/lighthouse.mjs: prints the Lighthouse scores of the login, the recordings and one recording, on a phone and a
 * desktop. Exits with 1 if a score is below 95. Uses 2,000 generated calls and the sample call. npx fetches Lighthouse. Chromium
 * must be /usr/bin/chromium, or CHROME_PATH must name it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SetupError, projectFolder, runOrFail, runProgram, setUp, runStep } from './setup.mjs'

const LIGHTHOUSE_PACKAGE = 'lighthouse@12.8.2'
const OUT_FOLDER = 'dist-bench'
const CALL_COUNT = 2000
const MIN_SCORE = 95
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
const OWNER_CREDENTIALS = { email: 'owner@example.com', password: 'a sparrow on the roof' }

process.env.SVC_BENCH_BUNDLE = join(projectFolder, OUT_FOLDER, 'svc.js')
process.env.CHROME_PATH ??= '/usr/bin/chromium'
const reports = mkdtempSync(join(tmpdir(), 'svc-lighthouse-'))
try {
  await setUp({ build: false, tests: true, browser: true })
  await runStep('building', () => runOrFail(process.execPath, ['build.mjs', '--bench', `--out=${OUT_FOLDER}`]))
  await main()
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exitCode = 1
}
rmSync(reports, { recursive: true, force: true })
process.exit()

async function main() {
  const [{ startStack }, { seedCalls }] = await Promise.all(
    ['support', 'database'].map((name) => import(join(projectFolder, OUT_FOLDER, 'bench', `${name}.mjs`))),
  )
  const stack = await startStack(
    { asr: true },
    {
      ASR_MODEL: 'moonshine-tiny-en',
      COOKIE_SECURE: false,
      BOOTSTRAP_ADMIN_EMAIL: OWNER_CREDENTIALS.email,
      BOOTSTRAP_ADMIN_PASSWORD: OWNER_CREDENTIALS.password,
    },
  )
  try {
    await seedCalls(stack.config.DATABASE_URL, CALL_COUNT)
    stack.processes.api = await stack.startApi()
    const { url, daemon } = await stack.startPanel()
    const id = await transcribe(stack)
    const cookie = await logIn(stack)
    const pages = [['/login'], ['/recordings', cookie], [`/recordings/${id}`, cookie]]
    for (const [path, session] of pages) {
      for (const device of ['mobile', 'desktop']) await auditPage(url + path, session, device)
    }
    await daemon.stop(['SIGTERM', 10_000])
  } finally {
    await stack.stop()
  }
}

/** Uploads the sample call and waits for its transcript. @returns the id of the recording */
async function transcribe({ config: { apiUrl }, headers }) {
  const form = new FormData()
  form.append('file', new Blob([readFileSync(join(projectFolder, 'samples/call.wav'))]), 'call.wav')
  const { id } = await (await fetch(`${apiUrl}/v1/recordings`, { method: 'POST', body: form, headers })).json()
  for (;;) {
    const { status } = await (await fetch(`${apiUrl}/v1/recordings/${id}`, { headers })).json()
    if (status === 'DONE') return id
    if (status === 'FAILED') throw new Error('the call failed')
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function logIn({ config: { apiUrl } }) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${apiUrl}/v1/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(OWNER_CREDENTIALS),
  })
  return response.headers.get('set-cookie').split(';')[0]
}

/** Prints the scores of a page and the audits that lower them. Sets the exit code 1 for a low score. */
async function auditPage(url, cookie, device) {
  const report = join(reports, 'report.json')
  const args = [
    '--yes',
    LIGHTHOUSE_PACKAGE,
    url,
    '--quiet',
    '--output=json',
    `--output-path=${report}`,
    `--only-categories=${CATEGORIES.join()}`,
    '--chrome-flags=--headless=new --no-sandbox',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie ? [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`] : []),
  ]
  // On a busy machine, Lighthouse sometimes misses the beginning of its trace.
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await runProgram('npx', args)
    if (code === 0) break
    if (attempt === 3 || !output.includes('run Lighthouse again')) throw new SetupError(output.trim())
  }
  const { categories, audits } = JSON.parse(readFileSync(report, 'utf8'))
  const scores = CATEGORIES.map((name) => Math.round(categories[name].score * 100))
  const holds = scores.every((score) => score >= MIN_SCORE)
  if (!holds) process.exitCode = 1
  const named = scores.map((score, n) => `${CATEGORIES[n]} ${score}`).join(', ')
  console.log(`${holds ? 'holds ' : 'MISSES'}  ${new URL(url).pathname}, ${device}: ${named}`)
  for (const name of CATEGORIES) {
    for (const { id, weight } of categories[name].auditRefs) {
      const { score, title, displayValue = '' } = audits[id]
      if (weight > 0 && score !== null && score < 0.9) console.log(`          ${id}: ${title} ${displayValue}`)
    }
  }
}
