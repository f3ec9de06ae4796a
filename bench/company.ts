/** Starts the service with the calls, deals and 200 people of a large company. */
import { execFileSync } from 'node:child_process'
import { chromium, type Browser } from 'playwright-core'
import type { Config } from '../src/platform/config/config.ts'
import { createDataSource, poolOf } from '../src/platform/db/db.ts'
import { storeWeeklyReports } from '../src/reports/weekly/store-reports.ts'
import { connectToDatabase, runSqlFile, seedCompany } from './database.ts'
import { BENCH_OWNER_CONFIG, OWNER_CREDENTIALS, startStack, type BenchStack } from './support.ts'

/** Starts the API without workers. @returns the stack, and a checked call with 100 comments */
export async function startCompany(calls: number): Promise<{ stack: BenchStack; call: string }> {
  const stack = await startStack({ ...BENCH_OWNER_CONFIG, API_RUN_MODE: 'api' })
  await stack.startApi()
  const { DATABASE_URL } = stack.config
  await seedCompany(DATABASE_URL, { calls, deals: calls / 10 })
  // With API_RUN_MODE=api, no schedule stores the weekly report.
  const reports = await createDataSource(DATABASE_URL, { poolSize: 2 }).initialize()
  const config = { APP_TIMEZONE: 'Europe/Moscow' } as Config
  await storeWeeklyReports({ config, db: reports, pool: poolOf(reports) })
  await reports.destroy()
  const db = await connectToDatabase(DATABASE_URL)
  const { rows } = await db.query<{ id: string }>(
    `SELECT recording_id AS id FROM analyses WHERE status = 'DONE' LIMIT 1`,
  )
  const call = rows[0]!.id
  await runSqlFile(db, 'company-work', { email: OWNER_CREDENTIALS.email, call })
  await db.end()
  return { stack, call }
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROME_PATH ?? execFileSync('which', ['chromium-headless-shell']).toString().trim(),
    args: ['--no-sandbox', '--disable-gpu'],
  })

/** Opens a window of the panel at `url` for the session of a cookie. */
export async function openPanelWindow(browser: Browser, url: string, cookie: string) {
  const context = await browser.newContext({ locale: 'ru-RU', viewport: { width: 1280, height: 800 } })
  const [name, value] = cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url }])
  return context.newPage()
}
