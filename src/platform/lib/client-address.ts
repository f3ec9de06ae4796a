import ipaddr from 'ipaddr.js'
import { hmacSha256, isSameSecret } from './crypto.ts'

/**
 * Carries the address of a browser from the panel to the API, with a proof that the panel sent it. If both know SESSION_SECRET
 * (`start` passes it to both), rate limits see the browsers behind any proxies. Without it, the panel sends the address in
 * X-Forwarded-For, like any proxy.
 */
export const PANEL_CLIENT_HEADER = 'X-Panel-Client'

/** The header by which the panel proves a browser's address to the API. */
export const formatPanelClient = (secret: string, address: string): string =>
  `${address} ${signAddress(secret, address)}`

/** No session token contains a space, so the two proofs cannot be confused. */
const signAddress = (secret: string, address: string): string =>
  hmacSha256(secret, `panel client ${address}`).digest('base64url')

/** The browser's address if the proof of the panel is valid, else undefined. */
export function parsePanelClient(secret: string, header: string): string | undefined {
  const [address, proof] = header.split(' ')
  return address && proof && isSameSecret(proof, signAddress(secret, address)) ? address : undefined
}

/** The canonical form of an address: an IPv4 address inside IPv6 is that IPv4 address. Undefined for other text. */
export function normalizeAddress(text: string | undefined): string | undefined {
  if (!text || !ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? ipaddr.fromByteArray(address.toByteArray()).toString() : address.toString()
}

/** The key for counting a caller: an IPv4 address, or its /64, because an IPv6 client chooses addresses within one. */
export function formatNetworkKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
