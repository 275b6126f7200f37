import { ownService } from '../../platform/login-ports.ts'
import type { Keychain } from '../../platform/login-ports.ts'

type KeychainAnswer = { readonly text: string } | { readonly why: string }

/** The name under which a person grants a keychain item (T06). Names of variables, listed beside it, have no colon. */
export function keychainGrant(reference: string): string {
  return `keychain:${reference}`
}

/** Looks up `service/account`. The service may contain slashes, the account may not. */
export async function keychainValue(
  reference: string,
  keychain: Keychain | undefined,
): Promise<KeychainAnswer> {
  const slash = reference.lastIndexOf('/')
  const [service, account] = [reference.slice(0, Math.max(slash, 0)), reference.slice(slash + 1)]
  if (service === '' || account === '') return { why: 'write it as service/account' }
  // T32: our own service holds the logins of all servers; no entry may read another server's login.
  if (service.trim().toLowerCase() === ownService) return { why: 'stored logins cannot be used as values' }
  try {
    const text = await keychain?.find?.(service, account)
    if (text !== undefined) return { text }
    if (keychain?.find) return { why: 'it is not in your keychain' }
  } catch {
    // The keychain's error text is not shown: it may contain secrets.
  }
  return { why: 'no keychain is available, or it is locked' }
}
