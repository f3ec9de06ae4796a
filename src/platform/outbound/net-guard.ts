import dns from 'node:dns'
import net from 'node:net'
import os from 'node:os'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import type { Message } from '../lib/messages.ts'
import { linkMessages } from './messages.ts'

/** Signals an IP address that our requests are not allowed to reach. `rule` is the message for the user. */
export class ForbiddenAddressError extends Error {
  constructor(readonly rule = linkMessages.nameLeadsInside()) {
    super(rule.text)
  }
}

const MAX_URL_LENGTH = 2048

/** Ports of other protocols: the block list of WHATWG fetch, and internal services such as databases and Docker. */
const FORBIDDEN_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 3306,
  3389, 3659, 4045, 4190, 5060, 5061, 5432, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200,
  10080, 11211, 27017,
])

const FORBIDDEN_SUFFIXES = ['localhost', 'local', 'internal', 'localdomain', 'lan', 'home.arpa', 'intranet']

/**
 * Returns the rule that a link violates; undefined if it is allowed. Does not resolve the host name: createGuardedAgent() checks
 * its addresses.
 */
export function findLinkViolation(link: string, allowPrivate: boolean): Message | undefined {
  if (link.length > MAX_URL_LENGTH) return linkMessages.tooLong({ limit: MAX_URL_LENGTH })
  // Other parsers read these characters differently, which circumvents the checks.
  if (/\s/.test(link)) return linkMessages.space()
  // oxlint-disable-next-line no-control-regex
  if (/[\\\u0000-\u001f\u007f]/.test(link)) return linkMessages.character()
  if (!URL.canParse(link)) return linkMessages.notHttp()
  const url = new URL(link)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return linkMessages.notHttp()
  if (url.username || url.password) return linkMessages.password()
  if (FORBIDDEN_PORTS.has(url.port === '' ? 80 : Number(url.port))) return linkMessages.port({ port: url.port })
  return allowPrivate ? undefined : findHostViolation(url.hostname)
}

function findHostViolation(hostname: string): Message | undefined {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase()
  if (net.isIP(host)) return isPublicIpAddress(host) ? undefined : linkMessages.privateAddress()
  const isLocalName =
    !host.includes('.') ||
    host === os.hostname().toLowerCase() ||
    FORBIDDEN_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
  return isLocalName ? linkMessages.localName() : undefined
}

/** These addresses are in a public range but belong to the host of a cloud VM. */
const HOST_SERVICE_ADDRESSES = new Set(['168.63.129.16'])

/** Returns true if an IP address belongs to the public internet. Unallocated ranges do not. */
export function isPublicIpAddress(address: string): boolean {
  if (!net.isIP(address)) return false // ipaddr.js alone also accepts "1.2.3"
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || HOST_SERVICE_ADDRESSES.has(parsed.toString())) return false
  if (parsed.kind() === 'ipv4') return true
  // IANA allocates only 2000::/3 of IPv6. Addresses that wrap an IPv4 address (6to4, Teredo) are not in the range "unicast".
  return parsed.match(ipaddr.parseCIDR('2000::/3')) && !parsed.match(ipaddr.parseCIDR('2001:db8::/32'))
}

const RESOLVE_TIMEOUT_MS = 2000

/**
 * Resolves the host of a link and returns the rule that its addresses violate.
 * @returns undefined if allowed or not resolved within 2 s; createGuardedAgent() checks again at the connection
 */
export async function findResolvedLinkViolation(link: string, allowPrivate: boolean): Promise<Message | undefined> {
  const { hostname } = new URL(link)
  if (allowPrivate || net.isIP(hostname.replace(/^\[|\]$/g, ''))) return undefined
  const isForbidden = await new Promise<boolean>((resolve) => {
    const limit = setTimeout(() => resolve(false), RESOLVE_TIMEOUT_MS)
    dns.lookup(hostname, { all: true }, (error, addresses) => {
      clearTimeout(limit)
      resolve(!error && !addresses.every(({ address }) => isPublicIpAddress(address)))
    })
  })
  return isForbidden ? linkMessages.privateAddress() : undefined
}

type LookupCallback = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void

/** Returns the rule that a secret link violates: http to a public address is forbidden. createGuardedAgent() checks host names. */
export function findSecretLinkViolation({ protocol, hostname }: URL): Message | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return protocol === 'http:' && isPublicIpAddress(host) ? linkMessages.inTheClear() : undefined
}

/**
 * Creates an undici agent that connects only to the addresses it has checked, so a later DNS change has no effect. One forbidden
 * address rejects the whole name.
 * @param isSecret true if the request contains a secret, so that http goes only to private addresses
 */
export function createGuardedAgent(allowPrivate: boolean, isSecret = false): Agent {
  const connector = (protocol: string) =>
    buildConnector({
      timeout: 10_000,
      lookup: createGuardedLookup({ allowPrivate, mustBePrivate: isSecret && protocol === 'http:' }),
    })
  const [plain, encrypted] = [connector('http:'), connector('https:')]
  return new Agent({
    connect: (options, callback) => (options.protocol === 'http:' ? plain : encrypted)(options, callback),
    keepAliveTimeout: 1000,
  })
}

function createGuardedLookup({ allowPrivate, mustBePrivate }: { allowPrivate: boolean; mustBePrivate: boolean }) {
  return (hostname: string, options: dns.LookupOptions, callback: LookupCallback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const arePublic = addresses.map(({ address }) => isPublicIpAddress(address))
      if (!allowPrivate && arePublic.includes(false)) return callback(new ForbiddenAddressError(), [])
      if (mustBePrivate && arePublic.includes(true))
        return callback(new ForbiddenAddressError(linkMessages.inTheClear()), [])
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}
