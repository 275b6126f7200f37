import { ownService } from '../login-ports.ts'

/** A keychain that waits for somebody to unlock it must not make everybody else wait. */
const waitMs = 5000

export async function readSecret(name: string, service = ownService): Promise<string | undefined> {
  const entry = await entryOf(name, service)
  return (await inTime((signal) => entry.getPassword(signal))) ?? undefined
}

export async function writeSecret(name: string, secret: string): Promise<void> {
  const entry = await entryOf(name)
  await inTime((signal) => entry.setPassword(secret, signal))
}

export async function removeSecret(name: string): Promise<void> {
  const entry = await entryOf(name)
  await inTime((signal) => entry.deletePassword(signal))
}

/** An optional dependency: where it is not installed, or not made for this machine, there is no keychain. */
async function entryOf(name: string, service = ownService) {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // The kernel's keys of Linux are gone with the next start of the machine, and a login is not to be.
  return new AsyncEntry(service, name, { linux: { store: 'secret-service' } })
}

async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over.abort()
      reject(new Error('The keychain did not answer in time.'))
    }, waitMs)
  })
  try {
    return await Promise.race([work(over.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
