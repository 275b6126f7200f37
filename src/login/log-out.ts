import { createAsk } from './guarded-http.ts'
import type { Account, Credential } from './credential.ts'
import type { Declared } from './declared-login.ts'
import { guardFor } from './guard.ts'
import type { LoginsOptions } from './logins.ts'
import { requesterOf } from './renew.ts'
import type { LoginStore } from './login-store.ts'
import { endpointUrl, proveClient } from './token-request.ts'

const revokeMs = 5000

/** Forgets a login, and tells the issuer. It is forgotten here whatever the issuer says. */
export async function logOut(
  account: Account,
  store: LoginStore,
  declared: Declared,
  platform: LoginsOptions['platform'],
): Promise<void> {
  const credential = await store.locked(account, async () => {
    const found = await store.read(account)
    await store.remove(account)
    return found
  })
  if (credential?.revocationEndpoint === undefined) return
  await revoke(credential, credential.revocationEndpoint, declared, platform).catch(() => undefined)
}

async function revoke(
  credential: Credential,
  endpoint: string,
  declared: Declared,
  platform: LoginsOptions['platform'],
): Promise<void> {
  const { refresh, access } = credential.tokens
  const ask = createAsk({ platform, guard: guardFor(new URL(credential.server), declared) })
  const { headers, fields } = proveClient(requesterOf(credential, declared), platform.clock.now())
  await ask({
    what: 'the revocation endpoint',
    method: 'POST',
    url: endpointUrl(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ token: refresh ?? access, ...fields }).toString(),
    timeoutMs: revokeMs,
  })
}
