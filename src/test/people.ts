import type { Role, Right } from '../people/people/entity.ts'
import { TestClient } from './client.ts'
import { OWNER_CREDENTIALS, type TestApp } from './server.ts'

/**
 * Logs a person in.
 * @returns a client with their session cookie and the header that the pages of the panel send
 */
export async function logInAsPerson(
  app: TestApp,
  email: string,
  password = OWNER_CREDENTIALS.password,
): Promise<TestClient> {
  const client = new TestClient(() => app.url, { 'Sec-Fetch-Site': 'same-origin' })
  const { status, headers } = await client.post('/v1/auth/login', { email, password })
  if (status !== 200) throw new Error(`${email} cannot log in: ${status}`)
  client.headers.Cookie = headers.get('set-cookie')!.split(';')[0]!
  return client
}

/** The fields of a new person. The e-mail address follows from the name; the password is Olga's. */
interface PersonOptions {
  role?: Role
  departments?: string[]
  rights?: Partial<Record<Right, boolean>>
}

/**
 * Creates a person through the API as Olga, and logs them in.
 * @returns a client with the session and the id of the person
 */
export async function createLoggedInPerson(
  app: TestApp,
  name: string,
  { role = 'manager', ...more }: PersonOptions = {},
): Promise<TestClient & { id: string }> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const { status, json, text } = await app.olga.post('/v1/people', {
    email,
    name,
    password: OWNER_CREDENTIALS.password,
    role,
    ...more,
  })
  if (status !== 201) throw new Error(`${name} cannot be created: ${text}`)
  return Object.assign(await logInAsPerson(app, email), { id: json.id as string })
}

/**
 * Creates a department through the API as Olga.
 * @returns the id of the department
 */
export async function createDepartment(app: TestApp, name: string, managers: string[] = []): Promise<string> {
  const { status, json, text } = await app.olga.post('/v1/departments', { name, managers })
  if (status !== 201) throw new Error(`${name} cannot be created: ${text}`)
  return json.id
}

/** The people that most access tests use, in addition to Olga (owner) and Ida (API key). */
export interface TestPeople {
  sales: string
  support: string
  /** The head of Sales. */
  hanna: TestClient & { id: string }
  max: TestClient & { id: string }
  otto: TestClient & { id: string }
}

/**
 * Creates the department Sales with Hanna (head), Max and Anna (who has no login), and Support with Otto. All of them have every
 * right.
 */
export async function createTestPeople(app: TestApp): Promise<TestPeople> {
  const rights = { audio: true, export: true, manageRecordings: true, analytics: true, editRules: true }
  const sales = await createDepartment(app, 'Sales', ['Anna'])
  const support = await createDepartment(app, 'Support')
  return {
    sales,
    support,
    hanna: await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [sales], rights }),
    max: await createLoggedInPerson(app, 'Max', { departments: [sales], rights }),
    otto: await createLoggedInPerson(app, 'Otto', { departments: [support], rights }),
  }
}
