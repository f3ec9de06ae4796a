import type { TestPortalCall } from './data.ts'
import type { TestPortal } from './portal.ts'

export const PORTAL_EVENT_TOKEN = 'application-t0ken-of-the-event-hook'

/** Formats the form that a portal posts when a call ends. */
export function formatCallEndedEvent(portal: TestPortal, call: TestPortalCall, token = PORTAL_EVENT_TOKEN): string {
  const { host } = new URL(portal.url)
  const fields: Record<string, string> = {
    event: 'ONVOXIMPLANTCALLEND',
    event_handler_id: '975',
    'data[CALL_ID]': call.CALL_ID,
    'data[CALL_TYPE]': call.CALL_TYPE,
    'data[PHONE_NUMBER]': call.PHONE_NUMBER,
    'data[PORTAL_NUMBER]': 'reg133788',
    'data[PORTAL_USER_ID]': call.PORTAL_USER_ID,
    'data[CALL_DURATION]': call.CALL_DURATION,
    'data[CALL_START_DATE]': call.CALL_START_DATE,
    'data[COST]': '0',
    'data[COST_CURRENCY]': '',
    'data[CALL_FAILED_CODE]': call.CALL_FAILED_CODE,
    'data[CALL_FAILED_REASON]': '',
    'data[CRM_ACTIVITY_ID]': call.CRM_ACTIVITY_ID ?? '',
    ts: String(Math.floor(portal.now() / 1000)),
    'auth[domain]': host,
    'auth[client_endpoint]': `${portal.url}/rest/`,
    'auth[server_endpoint]': 'https://oauth.example/rest/',
    'auth[member_id]': 'a223c6b3710f85df22e9377d6c4f7553',
    'auth[application_token]': token,
  }
  return new URLSearchParams(fields).toString()
}

/** Posts the event of an ended call to an API once, as the portal does. @returns the response, which the portal ignores */
export async function sendCallEndedEvent(
  portal: TestPortal,
  apiUrl: string,
  call: TestPortalCall,
  token = PORTAL_EVENT_TOKEN,
): Promise<Response> {
  return fetch(`${apiUrl}/v1/integrations/crm/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Bitrix24 Webhook Engine' },
    body: formatCallEndedEvent(portal, call, token),
  })
}
