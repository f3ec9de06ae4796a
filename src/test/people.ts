import type { Role, Right } from '../people/people/entity.ts'
import { Client } from './client.ts'
import { OWNER_CREDENTIALS, type TestApp } from './server.ts'

/** Logs a person in and keeps their cookie, and the header that our pages send with it. */
export async function logInAs(app: TestApp, email: string, password = OWNER_CREDENTIALS.password): Promise<Client> {
  const client = new Client(() => app.url, { 'Sec-Fetch-Site': 'same-origin' })
  const { status, headers } = await client.post('/v1/auth/login', { email, password })
  if (status !== 200) throw new Error(`${email} cannot log in: ${status}`)
  client.headers.Cookie = headers.get('set-cookie')!.split(';')[0]!
  return client
}

/** The fields of a new person as Olga enters them; the e-mail follows from the name, the password is hers. */
interface PersonOptions {
  role?: Role
  departments?: string[]
  rights?: Partial<Record<Right, boolean>>
}

/** Adds a person as Olga, and logs them in. */
export async function createPerson(
  app: TestApp,
  name: string,
  { role = 'manager', ...more }: PersonOptions = {},
): Promise<Client & { id: string }> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const { status, json, text } = await app.olga.post('/v1/people', {
    email,
    name,
    password: OWNER_CREDENTIALS.password,
    role,
    ...more,
  })
  if (status !== 201) throw new Error(`${name} cannot be created: ${text}`)
  return Object.assign(await logInAs(app, email), { id: json.id as string })
}

/** Creates a department as Olga; returns its id. */
export async function createDepartment(app: TestApp, name: string, managers: string[] = []): Promise<string> {
  const { status, json, text } = await app.olga.post('/v1/departments', { name, managers })
  if (status !== 201) throw new Error(`${name} cannot be created: ${text}`)
  return json.id
}

/** The people of the tests, besides Olga the owner and Ida the integration. */
export interface TestPeople {
  sales: string
  support: string
  /** Head of Sales. */
  hanna: Client & { id: string }
  /** A manager of Sales. */
  max: Client & { id: string }
  /** A manager of Support. */
  otto: Client & { id: string }
}

/** Sales with Hanna and Max, and Anna on its roster who does not log in; Support with Otto. Everybody has every right. */
export async function createTestPeople(app: TestApp): Promise<TestPeople> {
  const rights = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
  const sales = await createDepartment(app, 'Sales', ['Anna'])
  const support = await createDepartment(app, 'Support')
  return {
    sales,
    support,
    hanna: await createPerson(app, 'Hanna', { role: 'head', departments: [sales], rights }),
    max: await createPerson(app, 'Max', { departments: [sales], rights }),
    otto: await createPerson(app, 'Otto', { departments: [support], rights }),
  }
}
