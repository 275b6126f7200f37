import { ownService } from '../login-ports.ts'

/** Time limit of a request: a locked keychain waits for the person and must not block other work. */
const timeoutMs = 5000

export async function readSecret(name: string, service = ownService): Promise<string | undefined> {
  const entry = await entryOf(name, service)
  return (await withTimeout((signal) => entry.getPassword(signal))) ?? undefined
}

export async function writeSecret(name: string, secret: string, service = ownService): Promise<void> {
  const entry = await entryOf(name, service)
  await withTimeout((signal) => entry.setPassword(secret, signal))
}

export async function removeSecret(name: string, service = ownService): Promise<void> {
  const entry = await entryOf(name, service)
  await withTimeout((signal) => entry.deletePassword(signal))
}

/** The keychain is an optional dependency: if it is not installed or not built for this machine, the import rejects. */
async function entryOf(name: string, service = ownService) {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // The kernel keyring of Linux is cleared at a reboot, and logins must survive it.
  return new AsyncEntry(service, name, { linux: { store: 'secret-service' } })
}

async function withTimeout<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const aborter = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      aborter.abort()
      reject(new Error('The keychain did not answer in time.'))
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(aborter.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
