/**
 * The portal for tests in a process of its own, with many deals and calls and with the limits that a portal has. It says
 * where it is, and how often it was asked what.
 */
import { BITRIX_LIMITS } from '../src/test/portal/limits.ts'
import { Portal } from '../src/test/portal/portal.ts'
import type { Ordered, Told } from './crm-spy.ts'

const [deals, calls] = process.argv.slice(2).map(Number) as [number, number]
/** Above the ids of the seed. */
const FIRST = 10_000_000
/** Nobody's: their calls are read and not loaded. */
const STRANGER = 999
const AUDIO = Buffer.alloc(100_000, 'x')

const portal = new Portal()
portal.limits = { ...BITRIX_LIMITS }
for (let n = 0; n <= 5; n++) portal.data.addFunnel(`Funnel ${n}`)
portal.data.addUser('Anna', 'Kovaleva', { ID: '1' })
for (let n = 0; n < deals; n++) {
  const contactId = portal.data.addContact('', [`+37544${String(1_000_000 + n)}`])
  portal.data.addDeal(`Deal ${n}`, { id: FIRST + n, categoryId: 1 + (n % 5), contactId })
}
for (let n = 0; n < calls; n++) {
  portal.data.addCall({
    id: FIRST + n,
    userId: STRANGER,
    dealIds: null,
    phone: `+37544${String(1_000_000 + (n % deals))}`,
  })
}
await portal.start()
const tell = (told: Told) => void process.send!(told)
tell({ readUrl: portal.readUrl })

process.on('message', (ordered: Ordered) => {
  if (ordered.kind === 'live') {
    const { CALL_ID } = portal.data.addCall({ userId: 1, dealIds: [FIRST], phone: '+375441000000', audio: AUDIO })
    tell({ callId: CALL_ID })
  } else if (ordered.kind === 'asked') {
    const { callId } = ordered
    const first = portal.requests.find(({ parameters }) => JSON.stringify(parameters.FILTER ?? '').includes(callId))
    tell({ at: first!.at })
  } else {
    const asked: Record<string, number> = {}
    for (const { method, isNested } of portal.requests) if (!isNested) asked[method] = (asked[method] ?? 0) + 1
    tell({ asked })
  }
})
process.on('disconnect', () => process.exit())
