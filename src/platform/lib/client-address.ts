import ipaddr from 'ipaddr.js'
import { hmacSha256, isSameSecret } from './crypto.ts'

/**
 * Carries the IP address of a browser from the panel to the API, with a proof that the panel sent it.
 * Both must know SESSION_SECRET, which `start` passes to both. Without it, the API ignores this header and uses X-Forwarded-For
 * of TRUSTED_PROXY_HOPS proxies.
 */
export const PANEL_CLIENT_HEADER = 'X-Panel-Client'

/** Formats the X-Panel-Client header: the address and its HMAC under the secret. */
export const formatPanelClientHeader = (secret: string, address: string): string =>
  `${address} ${signAddress(secret, address)}`

/** Session tokens contain no space, so a signed session token is never a valid address proof. */
const signAddress = (secret: string, address: string): string =>
  hmacSha256(secret, `panel client ${address}`).digest('base64url')

/** Parses the X-Panel-Client header. @returns the IP address, or undefined if the proof is invalid */
export function parsePanelClientHeader(secret: string, header: string): string | undefined {
  const [address, proof] = header.split(' ')
  return address && proof && isSameSecret(proof, signAddress(secret, address)) ? address : undefined
}

/** Returns the canonical form of an IP address; undefined for other text. An IPv4 address mapped to IPv6 becomes IPv4. */
export function normalizeIpAddress(text: string | undefined): string | undefined {
  if (!text || !ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? ipaddr.fromByteArray(address.toByteArray()).toString() : address.toString()
}

/**
 * Formats the key for rate limits: an IPv4 address, or the /64 of an IPv6 address. A client can use any address of its /64.
 * Returns other text unchanged.
 */
export function formatNetworkKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
