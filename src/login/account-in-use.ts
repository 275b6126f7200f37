import type { Platform } from '../platform/platform.ts'
import type { Server } from '../model/server.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { readDeclaredLogin } from './declared-login.ts'
import { LoginStore } from './login-store.ts'
import type { SharedLogins } from './login-store.ts'
import { chooseAccount } from './logins.ts'

interface AccountOptions {
  readonly platform: Pick<Platform, 'files' | 'lock' | 'env' | 'keychain' | 'uid'>
  /** Of the stored logins. */
  readonly directory: string
  readonly shared?: SharedLogins | undefined
}

/** The name of a login that a person gave none; what is kept for it is also what is kept without a login. */
const usualAccount = 'default'

/**
 * The name of the account that a connection to a server uses now; empty for the default one, and without a login. Only the
 * name that a person chose counts: the issuer and the person that a token names are said by the server, which could become
 * another account with them.
 */
export async function accountInUse(
  { transport }: Pick<Server, 'transport'>,
  { platform, directory, shared }: AccountOptions,
): Promise<string> {
  if (transport.kind === 'stdio' || transport.kind === 'channel') return ''
  const hasLogins = shared !== undefined || (await platform.files.list(directory).catch(() => [])).length > 0
  const url = hasLogins ? plainUrl(transport.url) : undefined
  if (!url) return ''
  const store = new LoginStore({
    platform,
    directory,
    shared,
    redactor: new Redactor(),
    warn: () => undefined,
  })
  const { auth } = transport
  // A placeholder in it is not resolved, and names no account.
  const declared = readDeclaredLogin(auth)
  const { account = '' } = chooseAccount(await store.all(), url, declared) ?? {}
  return account === usualAccount ? '' : account
}

/** An address without placeholders: to find out an account must not run commands (D-9). */
export function plainUrl(url: string): URL | undefined {
  return /^https?:\/\/[^${}!]+$/.test(url) && URL.canParse(url) ? new URL(url) : undefined
}
