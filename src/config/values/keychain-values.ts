import { ownService } from '../../platform/login-ports.ts'
import type { Keychain } from '../../platform/login-ports.ts'

export type Found = { readonly text: string } | { readonly why: string }

/** Part of what a person grants (T06), beside the names of variables, which never hold a colon. */
export function keychainGrant(reference: string): string {
  return `keychain:${reference}`
}

/** `service/account`. A service may hold slashes, an account none. */
export async function keychainValue(reference: string, keychain: Keychain | undefined): Promise<Found> {
  const slash = reference.lastIndexOf('/')
  const [service, account] = [reference.slice(0, Math.max(slash, 0)), reference.slice(slash + 1)]
  if (service === '' || account === '') return { why: 'it is written as service/account' }
  // No entry may have a login that was made for another one (T32).
  if (service.trim().toLowerCase() === ownService) return { why: 'the logins there are given to nobody' }
  try {
    const text = await keychain?.find?.(service, account)
    if (text !== undefined) return { text }
    if (keychain?.find) return { why: 'it is not in your keychain' }
  } catch {
    // What a keychain says about it may hold anything.
  }
  return { why: 'there is no keychain here, or it is locked' }
}
